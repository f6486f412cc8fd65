"""What a reviewer needs to know of a flow, computed once however it is shown."""

from stretto.flow.review.document import Review, review

__all__ = ["Review", "review"]
