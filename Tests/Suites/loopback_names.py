# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A pytest plugin that connects a suite with `storage-auth serve`: hosts of the services resolve to this machine.

No other name resolves, so that no test reaches the services of a vendor. The SDKs of COS, OSS (2) and the token
service of Alibaba Cloud send HTTP by default, and the function `setUp` of a module runs, as nose ran it. `storage-auth`
has no key management: requests for it are answered here, by keys that only this process knows.
"""

import base64
import json
import os
import socket

import pytest

OSS, COS = os.environ["OSS_PORT"], os.environ["COS_PORT"]
PORTS = {
    "sts.aliyuncs.com": os.environ["STS_PORT"], "sts.cn-hangzhou.aliyuncs.com": os.environ["STS_PORT"],
    "localhost": None, "aliyuncs.com": OSS, "myqcloud.com": COS, "tencentcos.cn": COS,
}
resolve = socket.getaddrinfo


def getaddrinfo(host, port, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host or "localhost"
    for domain, local in PORTS.items():
        if name == domain or name.endswith("." + domain):
            return resolve("127.0.0.1", local or port, *args, **kwargs)
    if name.replace(".", "").isdigit() or ":" in name:
        return resolve(name, port, *args, **kwargs)
    raise socket.gaierror(socket.EAI_NONAME, "The suite asks for " + name)


socket.getaddrinfo = getaddrinfo

try:
    from qcloud_cos import CosConfig
except ImportError:
    pass
else:
    configure = CosConfig.__init__

    def init(self, *args, **kwargs):
        if len(args) < 7:
            kwargs.setdefault("Scheme", "http")
        configure(self, *args, **kwargs)

    CosConfig.__init__ = init

try:
    import alibabacloud_oss_v2
except ImportError:
    pass
else:
    load_default = alibabacloud_oss_v2.config.load_default

    def load_without_tls():
        config = load_default()
        config.disable_ssl = True
        return config

    alibabacloud_oss_v2.config.load_default = load_without_tls


try:
    from aliyunsdkcore import client
    from aliyunsdkcore.acs_exception.exceptions import ServerException
except ImportError:
    pass
else:
    act = client.AcsClient.do_action_with_exception

    def manage_key(caller, call):
        """Answers as the key management service: a ciphertext opens only with its key, region and context."""
        if call.get_product() != "Kms":
            call.set_protocol_type("http")
            return act(caller, call)
        asked = {**call.get_query_params(), **call.get_body_params()}
        scope = [caller.get_region_id(), asked.get("EncryptionContext")]
        key = [os.environ["OSS_TEST_ACCESS_KEY_ID"], os.environ["OSS_TEST_ACCESS_KEY_SECRET"]]
        if [caller.get_access_key(), caller.get_access_secret()] != key:
            raise ServerException("InvalidAccessKeyId.NotFound", "The access key is not known.", 404)
        if call.get_action_name() == "Decrypt":
            try:
                stored, text = json.loads(base64.b64decode(asked["CiphertextBlob"]))
            except ValueError:
                stored, text = None, None
            if stored != scope:
                raise ServerException("InvalidCiphertext", "The ciphertext is not one of this key and context.", 400)
            return json.dumps({"Plaintext": text})
        text = asked.get("Plaintext") or base64.b64encode(os.urandom(int(asked["NumberOfBytes"]))).decode()
        blob = base64.b64encode(json.dumps([scope, text]).encode()).decode()
        return json.dumps({"Plaintext": text, "CiphertextBlob": blob})

    client.AcsClient.do_action_with_exception = manage_key


@pytest.fixture(scope="module", autouse=True)
def nose_setup(request):
    getattr(request.module, "setUp", lambda: None)()
