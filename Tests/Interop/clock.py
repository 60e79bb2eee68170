# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Replaces the clock of an SDK; the server keeps its own."""

import contextlib
import datetime
import time
import types
from collections.abc import Iterator
from email.utils import formatdate
from unittest import mock


class SDKClock:
    """A clock with an offset in seconds, or one that stands still at a time."""

    def __init__(self, off_by: float = 0, at: float | None = None) -> None:
        self._off_by = off_by
        self._at = at

    def time(self) -> float:
        return self._at if self._at is not None else time.time() + self._off_by

    def _datetime_class(self) -> type[datetime.datetime]:
        clock = self

        class SteppedDatetime(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> "SteppedDatetime":
                return cls.fromtimestamp(clock.time(), tz)

            @classmethod
            def utcnow(cls) -> "SteppedDatetime":
                return cls.fromtimestamp(clock.time(), datetime.timezone.utc).replace(tzinfo=None)

        return SteppedDatetime

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Replaces the clocks of the three SDKs' signers."""
        stepped = self._datetime_class()
        module = types.SimpleNamespace(
            datetime=stepped, timedelta=datetime.timedelta, timezone=datetime.timezone)
        seconds = types.SimpleNamespace(time=self.time)
        with contextlib.ExitStack() as stack:
            for name, value in {
                "oss2.auth.datetime": stepped,
                "oss2.auth.time": seconds,
                "oss2.utils.http_date": lambda timeval=None: formatdate(
                    self.time() if timeval is None else timeval, usegmt=True),
                "alibabacloud_oss_v2.signer.v4.datetime": module,
                "alibabacloud_oss_v2.signer.v1.datetime": module,
                "alibabacloud_oss_v2.presigner.datetime": module,
                "qcloud_cos.cos_auth.time": seconds,
            }.items():
                stack.enter_context(mock.patch(name, value))
            yield
