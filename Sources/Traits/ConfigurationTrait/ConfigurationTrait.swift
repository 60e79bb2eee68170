// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if !Configuration
  #error(
    """
    StorageConfiguration needs the trait Configuration of swift-storage-auth. Where you depend on it, add \
    traits: ["Configuration"] to .package(url: …, from: …). Where you build swift-storage-auth itself, add \
    --traits CommandLine to the command.
    """)
#endif
