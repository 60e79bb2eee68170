# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A pytest plugin that records which tests the suite itself marks as failing at the service, for `summarize.py`."""


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("fails_on_aws"):
            item.user_properties.append(("fails_on_aws", "true"))
