# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A proxy for HTTP/1.1 that counts the bytes of the bodies, and the parts that the service has stored."""

import asyncio
import re
import threading

CHUNK = 1 << 18


class CountingProxy:
    """Forwards requests to a server on 127.0.0.1, on a thread of its own."""

    def __init__(self, port: int):
        self.upstream = port
        self.sent = self.received = 0
        # The number of answers with status 200 for each uploaded part, by upload ID and part number.
        self.stored: dict[tuple[str, str], int] = {}
        self.methods: list[str] = []
        self.threshold: int | None = None
        self.last_request: int | None = None
        self.reached = threading.Event()
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    def stop_at(self, total: int | None) -> None:
        """Sets `reached` as soon as this many bytes of bodies have passed in total."""
        self.reached.clear()
        self.threshold = total

    def stop_at_request(self, number: int) -> None:
        """Sets `reached` as soon as this many requests have arrived."""
        self.reached.clear()
        self.last_request = number

    async def serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await server.serve_forever()

    async def connection(self, reader, writer) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream, limit=1 << 20)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                method, target = head.split(b" ", 2)[:2]
                self.methods.append(f"{method.decode()} {target.decode()}")
                if self.last_request is not None and len(self.methods) >= self.last_request:
                    self.last_request = None
                    self.reached.set()
                up_writer.write(head)
                await self.forward(reader, up_writer, self.length(head), "sent")
                answer = await up_reader.readuntil(b"\r\n\r\n")
                part = re.search(rb"[?&]partNumber=(\d+)", target)
                upload = re.search(rb"[?&]uploadId=([^& ]+)", target)
                if method == b"PUT" and part and upload and answer.startswith(b"HTTP/1.1 200"):
                    key = (upload[1].decode(), part[1].decode())
                    self.stored[key] = self.stored.get(key, 0) + 1
                writer.write(answer)
                bodiless = method == b"HEAD" or answer[9:12] in (b"204", b"304")
                await self.forward(up_reader, writer, 0 if bodiless else self.length(answer), "received")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            up_writer.close()

    @staticmethod
    def length(head: bytes) -> int:
        if re.search(rb"\r\ntransfer-encoding:", head, re.IGNORECASE):
            raise ConnectionError("the proxy does not forward chunked bodies")
        found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
        return int(found[1]) if found else 0

    async def forward(self, reader, writer, length: int, counter: str) -> None:
        await writer.drain()
        while length > 0:
            chunk = await reader.read(min(length, CHUNK))
            if not chunk:
                raise ConnectionError("the body ended early")
            length -= len(chunk)
            setattr(self, counter, getattr(self, counter) + len(chunk))
            if self.threshold is not None and self.sent + self.received >= self.threshold:
                self.threshold = None
                self.reached.set()
            writer.write(chunk)
            await writer.drain()
