import pytest

from stretto.traces.messages import Answer, answer, parts, request_key, response_key

TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image", "data": "…"}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"content": [TEXT, IMAGE, {**TEXT, "text": "b"}]}, "a\nb"),
        ({"content": [IMAGE], "structuredContent": {"b": 1, "a": 2}}, '{"a":2,"b":1}'),
        ({"content": [{**TEXT, "text": 3}], "structuredContent": [1]}, "[1]"),
        ({"content": [TEXT], "structuredContent": [1]}, "a"),
        (
            {"b": 1, "a": [], "structuredContent": None},
            '{"a":[],"b":1,"structuredContent":null}',
        ),
        ({"content": []}, '{"content":[]}'),
        ({"content": TEXT}, '{"content":{"text":"a","type":"text"}}'),
        (None, "null"),
        ("done", '"done"'),
    ],
)
def test_a_result_says_its_text_or_else_all_of_itself(result, expected):
    assert answer({"id": 1, "result": result}) == Answer(False, expected)


@pytest.mark.parametrize(("flag", "failed"), [(True, True), ("yes", False), (1, False)])
def test_a_result_is_an_error_where_it_says_true(flag, failed):
    assert answer({"result": {"isError": flag, "content": [TEXT]}}) == (failed, "a")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": -32602, "message": "no such tool"}, "no such tool"),
        ({"message": 3, "code": 1}, '{"code":1,"message":3}'),
        ("down", '"down"'),
    ],
)
def test_an_error_says_its_message_or_else_all_of_itself(error, expected):
    assert answer({"id": 1, "error": error, "result": {}}) == Answer(True, expected)


@pytest.mark.parametrize(
    ("message", "request_", "response"),
    [
        ({"id": 1, "method": "ping"}, "1", None),
        ({"id": "1", "method": "ping"}, '"1"', None),
        ({"method": "ping"}, None, None),
        ({"id": 1, "method": 3}, None, None),
        ({"id": 1, "result": None}, None, "1"),
        ({"id": 1, "error": {}}, None, "1"),
        ({"id": 1, "error": None}, None, None),
        ({"id": None, "result": {}}, None, None),
        ({"id": 1, "method": "ping", "result": {}}, "1", None),
        ({"id": {"b": 1, "a": 2}, "result": {}}, None, '{"a":2,"b":1}'),
    ],
)
def test_a_request_has_a_method_and_a_response_an_outcome(message, request_, response):
    assert (request_key(message), response_key(message)) == (request_, response)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"id": 1}, [{"id": 1}]),
        ([{"id": 1}, 3, [{"id": 2}], {"id": 3}], [{"id": 1}, {"id": 3}]),
        ([], []),
        ("text", []),
        (None, []),
    ],
)
def test_a_batch_is_its_messages(message, expected):
    assert list(parts(message)) == expected
