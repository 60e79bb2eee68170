# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Clients of S3 by others, each with the same few operations on one bucket."""

import abc
import io
from typing import Any

import boto3
import minio
import obstore
import s3fs
import smart_open
from boto3.s3.transfer import TransferConfig
from local_cloud import BUCKET, Account
from minio.commonconfig import CopySource
from minio.deleteobjects import DeleteObject
from obstore.store import S3Store
from pyarrow import fs

PART = 5 << 20


class S3Client(abc.ABC):
    """The operations that every client has."""

    def put_all(self, bodies: dict[str, bytes]) -> None:
        for key, body in bodies.items():
            self.put(key, body)

    def get_all(self, root: str, keys: list[str]) -> dict[str, bytes]:
        return {key: self.get(key) for key in keys}

    @abc.abstractmethod
    def put(self, key: str, body: bytes) -> None: ...

    @abc.abstractmethod
    def get(self, key: str) -> bytes: ...

    @abc.abstractmethod
    def read(self, key: str, start: int, end: int) -> bytes:
        """Reads a range of bytes, without the byte at its end."""

    @abc.abstractmethod
    def names(self, folder: str) -> list[str]:
        """Lists one level, by prefix and delimiter: keys, and folders with their slash."""

    @abc.abstractmethod
    def copy(self, source: str, target: str) -> None: ...

    @abc.abstractmethod
    def delete_all(self, root: str, keys: list[str]) -> None: ...


class Boto3(S3Client):
    """Uses boto3 without settings but endpoint, region and keys."""

    def __init__(self, endpoint: str, region: str, account: Account) -> None:
        self.s3 = boto3.client("s3", endpoint_url=endpoint, region_name=region, aws_access_key_id=account.id,
                               aws_secret_access_key=account.secret, aws_session_token=account.token)

    def put(self, key: str, body: bytes) -> None:
        self.s3.upload_fileobj(io.BytesIO(body), BUCKET, key, Config=TransferConfig(multipart_chunksize=PART))

    def get(self, key: str) -> bytes:
        received = io.BytesIO()
        self.s3.download_fileobj(BUCKET, key, received)
        return received.getvalue()

    def read(self, key: str, start: int, end: int) -> bytes:
        return self.s3.get_object(Bucket=BUCKET, Key=key, Range=f"bytes={start}-{end - 1}")["Body"].read()

    def names(self, folder: str) -> list[str]:
        found = self.s3.list_objects_v2(Bucket=BUCKET, Prefix=folder, Delimiter="/")
        return [entry["Key"] for entry in found["Contents"]] + [entry["Prefix"] for entry in found["CommonPrefixes"]]

    def copy(self, source: str, target: str) -> None:
        self.s3.copy({"Bucket": BUCKET, "Key": source}, BUCKET, target)

    def delete_all(self, root: str, keys: list[str]) -> None:
        self.s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys]})


class SmartOpen(Boto3):
    """Reads and writes with smart_open, which has streams only, over boto3."""

    def open(self, key: str, mode: str, **more: Any) -> Any:
        return smart_open.open(f"s3://{BUCKET}/{key}", mode, compression="disable",
                               transport_params={"client": self.s3} | more)

    def put(self, key: str, body: bytes) -> None:
        with self.open(key, "wb", min_part_size=PART, multipart_upload=len(body) > PART) as stream:
            stream.write(body)

    def get(self, key: str) -> bytes:
        with self.open(key, "rb") as stream:
            return stream.read()

    def read(self, key: str, start: int, end: int) -> bytes:
        with self.open(key, "rb", defer_seek=True) as stream:
            stream.seek(start)
            return stream.read(end - start)


class PyArrow(S3Client):
    def __init__(self, endpoint: str, region: str, account: Account) -> None:
        self.fs = fs.S3FileSystem(access_key=account.id, secret_key=account.secret, session_token=account.token,
                                  region=region, endpoint_override=endpoint,
                                  retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1))

    def put(self, key: str, body: bytes) -> None:
        with self.fs.open_output_stream(f"{BUCKET}/{key}") as stream:
            stream.write(body)

    def get(self, key: str) -> bytes:
        with self.fs.open_input_stream(f"{BUCKET}/{key}") as stream:
            return stream.read()

    def read(self, key: str, start: int, end: int) -> bytes:
        with self.fs.open_input_file(f"{BUCKET}/{key}") as file:
            return file.read_at(end - start, start)

    def names(self, folder: str) -> list[str]:
        found = self.fs.get_file_info(fs.FileSelector(f"{BUCKET}/{folder}"))
        return [info.path.removeprefix(f"{BUCKET}/") + ("/" if info.type == fs.FileType.Directory else "")
                for info in found]

    def copy(self, source: str, target: str) -> None:
        self.fs.copy_file(f"{BUCKET}/{source}", f"{BUCKET}/{target}")

    def delete_all(self, root: str, keys: list[str]) -> None:
        self.fs.delete_dir(f"{BUCKET}/{root}")


class Obstore(S3Client):
    def __init__(self, endpoint: str, region: str, account: Account) -> None:
        token = {"session_token": account.token} if account.token else {}
        self.store = S3Store(BUCKET, endpoint=endpoint, region=region, access_key_id=account.id,
                             secret_access_key=account.secret, client_options={"allow_http": True},
                             retry_config={"max_retries": 0}, **token)

    def put(self, key: str, body: bytes) -> None:
        obstore.put(self.store, key, body, chunk_size=PART)

    def get(self, key: str) -> bytes:
        return bytes(obstore.get(self.store, key).bytes())

    def read(self, key: str, start: int, end: int) -> bytes:
        return bytes(obstore.get_range(self.store, key, start=start, end=end))

    def names(self, folder: str) -> list[str]:
        found = obstore.list_with_delimiter(self.store, folder)
        return [entry["path"] for entry in found["objects"]] + [f"{prefix}/" for prefix in found["common_prefixes"]]

    def copy(self, source: str, target: str) -> None:
        obstore.copy(self.store, source, target)

    def delete_all(self, root: str, keys: list[str]) -> None:
        obstore.delete(self.store, keys)


class Minio(S3Client):
    def __init__(self, endpoint: str, region: str, account: Account) -> None:
        self.s3 = minio.Minio(endpoint.removeprefix("http://"), account.id, account.secret, account.token,
                              secure=False, region=region)

    def put(self, key: str, body: bytes) -> None:
        self.s3.put_object(BUCKET, key, io.BytesIO(body), len(body), part_size=PART)

    def get(self, key: str) -> bytes:
        return self.read(key, 0, 0)

    def read(self, key: str, start: int, end: int) -> bytes:
        with self.s3.get_object(BUCKET, key, start, end - start) as response:
            return response.read()

    def names(self, folder: str) -> list[str]:
        return [entry.object_name or "" for entry in self.s3.list_objects(BUCKET, folder)]

    def copy(self, source: str, target: str) -> None:
        self.s3.copy_object(BUCKET, target, CopySource(BUCKET, source))

    def delete_all(self, root: str, keys: list[str]) -> None:
        for error in self.s3.remove_objects(BUCKET, [DeleteObject(key) for key in keys]):
            raise AssertionError(error)


class S3FS(S3Client):
    def __init__(self, endpoint: str, region: str, account: Account) -> None:
        self.fs = s3fs.S3FileSystem(key=account.id, secret=account.secret, token=account.token, endpoint_url=endpoint,
                                    client_kwargs={"region_name": region}, use_listings_cache=False,
                                    skip_instance_cache=True)

    def put(self, key: str, body: bytes) -> None:
        self.fs.pipe_file(f"{BUCKET}/{key}", body, chunksize=PART)

    def get(self, key: str) -> bytes:
        return self.fs.cat_file(f"{BUCKET}/{key}")

    def read(self, key: str, start: int, end: int) -> bytes:
        return self.fs.cat_file(f"{BUCKET}/{key}", start=start, end=end)

    def names(self, folder: str) -> list[str]:
        return [entry["name"].removeprefix(f"{BUCKET}/") + ("/" if entry["type"] == "directory" else "")
                for entry in self.fs.ls(f"{BUCKET}/{folder}", detail=True)]

    def copy(self, source: str, target: str) -> None:
        self.fs.cp_file(f"{BUCKET}/{source}", f"{BUCKET}/{target}")

    def delete_all(self, root: str, keys: list[str]) -> None:
        self.fs.rm(f"{BUCKET}/{root}", recursive=True)
