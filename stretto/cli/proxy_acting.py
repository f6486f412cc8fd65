"""`stretto-proxy` with a flow, guards or commits: one session on stdio."""

from collections.abc import Callable

from stretto.cli.proxy_equipment import Equipment
from stretto.cli.proxy_options import Options
from stretto.proxy.acting import Acting
from stretto.proxy.garbage import leave_the_old
from stretto.proxy.record import Recorder
from stretto.proxy.serve import Server, serve
from stretto.proxy.session import Session


def run(
    options: Options,
    starts: Callable[[], Server],
    session: Session,
    recorder: Recorder | None,
) -> int:
    """
    The exit status of a session that a flow is served in.

    Raises:
        StrettoError: the flow cannot be read or served, or its log not written.
    """
    equipment = Equipment(options)
    engine = equipment.engine(session)
    acting = Acting(
        engine,
        recorder=recorder,
        logs=equipment.logs(session),
        context=equipment.context(session),
        oracle=equipment.oracle,
    )
    leave_the_old()
    status = serve(
        starts,
        recorder=recorder,
        between=acting.between,
        grace_s=options.grace_s,
    )
    acting.finish()
    equipment.count(engine.counts)
    equipment.tell()
    return status
