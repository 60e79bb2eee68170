// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// The number of files and connections that the process may have open (`RLIMIT_NOFILE`), and what follows from it.
///
/// A transfer needs a connection to each of its services, a file and the folder of that file. With more transfers than
/// the limit permits, each of them would fail sooner or later because there are too many open files.
package struct OpenFileLimit: Sendable, Hashable {
  package let count: Int

  package init(count: Int) {
    self.count = count
  }

  package static var current: OpenFileLimit {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0 else { return OpenFileLimit(count: .max) }
    return OpenFileLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// Raises the limit of the process as far as the system permits, but not above what many transfers need.
  ///
  /// Programs that the process starts inherit the limit. Some of them cannot use files with high numbers, so the limit
  /// is not raised without need.
  package static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0, limit.rlim_cur < usefulLimit else { return }
    limit.rlim_cur = min(limit.rlim_max, usefulLimit)
    _ = unsafe setrlimit(openFiles, &limit)
  }

  /// The maximum number of transfers, or requests of a client, at a time.
  package var transfers: Int { max(1, (count - min(count, reservedFiles)) / filesPerTransfer) }

  /// The number of threads for connections, each of which needs files of its own.
  package func eventLoops(cores: Int) -> Int { max(1, min(cores, transfers / transfersPerEventLoop)) }

  /// Whether at least one transfer is possible.
  package var permitsConnections: Bool { count >= reservedFiles + filesPerTransfer }
}

/// The files of a process besides those of its transfers: standard streams, timers, an event loop, and six of a
/// synchronization.
///
/// A synchronization opens the folders of its checkpoints and of its state, its lock, its own folder, and listings of it.
private let reservedFiles = 16

/// A connection to each of two services, a file, and its folder.
private let filesPerTransfer = 4

/// The number of transfers that usually leave enough of their files to a further event loop, which needs three.
private let transfersPerEventLoop = 3

/// A limit with which about a thousand transfers can run at a time.
private let usefulLimit: rlim_t = 4096

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif
