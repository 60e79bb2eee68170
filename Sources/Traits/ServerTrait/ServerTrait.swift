// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !Server
  #error(
    """
    StorageAuthServer and LocalCloud need the trait Server of swift-storage-auth. Where you depend on it, add \
    traits: ["Server"] to .package(url: …, from: …). Where you build swift-storage-auth itself, add --traits \
    CommandLine to the command.
    """)
#endif
