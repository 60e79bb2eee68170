// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !Client
  #error(
    """
    AsyncHTTPTransport and StoragePrograms need the trait Client of swift-storage-auth. Where you depend on it, \
    add traits: ["Client"] to .package(url: …, from: …). Where you build swift-storage-auth itself, add --traits \
    CommandLine to the command.
    """)
#endif
