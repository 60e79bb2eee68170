// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

// The manifest defines STORAGE_AUTH_NIO for Linux and macOS with the trait `Client`. The transport, the runner of
// commands and the transfer engine that a client uses unless the caller names others are chosen here and nowhere else.

public import StorageAuth

#if STORAGE_AUTH_NIO
  public import AsyncHTTPTransport

  extension HTTPTransport where Self == AsyncHTTPClientTransport {
    /// The shared transport of this platform, which clients use unless another transport is specified.
    ///
    /// It is `AsyncHTTPClientTransport.shared` on Linux and macOS, and `URLSessionTransport.shared` on the other
    /// systems and without the package trait `Client`.
    public static var platformDefault: AsyncHTTPClientTransport { .shared }
  }

  enum PlatformDefaults {
    /// The runner of commands that print credentials, or `nil` if this platform cannot start programs.
    static var commands: (any CommandRunner)? { SubprocessCommandRunner() }
  }
#else
  public import FoundationTransport

  extension HTTPTransport where Self == URLSessionTransport {
    /// The shared transport of this platform, which clients use unless another transport is specified.
    public static var platformDefault: URLSessionTransport { .shared }
  }

  enum PlatformDefaults {
    static var commands: (any CommandRunner)? { nil }
  }
#endif
