// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !CommandLine
  #error(
    """
    The programs of swift-storage-auth need the trait CommandLine of swift-storage-auth. Where you depend on it, \
    add traits: ["CommandLine"] to .package(url: …, from: …). Where you build swift-storage-auth itself, add \
    --traits CommandLine to the command.
    """)
#endif
