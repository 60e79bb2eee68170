# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""A pytest plugin that connects a suite with `storage-auth serve`: hosts of the services resolve to this machine.

No other name resolves, so that no test reaches the services of a vendor. The SDKs of COS and OSS (2)
send HTTP by default, and the function `setUp` of a module runs, as nose ran it.
"""

import socket

import pytest

PORTS = {"localhost": None, "aliyuncs.com": 9101, "myqcloud.com": 9102, "tencentcos.cn": 9102}
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


@pytest.fixture(scope="module", autouse=True)
def nose_setup(request):
    getattr(request.module, "setUp", lambda: None)()
