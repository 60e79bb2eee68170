// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// The number of files and connections that the process may have open (`RLIMIT_NOFILE`).
///
/// A transfer needs a connection to each of its services, a file and the folder of that file. With more transfers than
/// the limit permits, any of them could fail because there are too many open files.
package struct OpenFileLimit: Sendable, Hashable {
  package let count: Int

  package init(count: Int) { self.count = count }

  package static var current: OpenFileLimit {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0 else { return OpenFileLimit(count: .max) }
    return OpenFileLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// Raises the limit to at most 4,096, because programs inherit it and some cannot use files with high numbers.
  package static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(openFiles, &limit) == 0, limit.rlim_cur < usefulLimit else { return }
    limit.rlim_cur = min(limit.rlim_max, usefulLimit)
    _ = unsafe setrlimit(openFiles, &limit)
  }

  /// The maximum number of transfers, or requests of a client, at a time.
  package var transfers: Int { max(1, (count - min(count, reservedFiles)) / filesPerTransfer) }

  /// Returns the number of threads for connections; each thread needs files of its own.
  package func eventLoops(cores: Int) -> Int { max(1, min(cores, transfers / transfersPerEventLoop)) }

  package var permitsConnections: Bool { count >= reservedFiles + filesPerTransfer }
}

/// The files of a process besides those of its transfers: standard streams, timers, an event loop, and the six files
/// of a synchronization (the folders of its checkpoints and its state, its lock, its own folder, and listings of it).
private let reservedFiles = 16

/// The files of a transfer: a connection to each of two services, a file, and its folder.
private let filesPerTransfer = 4

/// The number of transfers per event loop; an event loop needs three files, which so many transfers rarely use.
private let transfersPerEventLoop = 3

/// The limit with which about a thousand transfers can run at a time.
private let usefulLimit: rlim_t = 4096

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif
