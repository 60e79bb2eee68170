// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !Redis
  #error(
    """
    StorageAuthRedis needs the trait Redis of swift-storage-auth. Where you depend on it, add traits: ["Redis"] \
    to .package(url: …, from: …). Where you build swift-storage-auth itself, add --traits CommandLine to the \
    command.
    """)
#endif
