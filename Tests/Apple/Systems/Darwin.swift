// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Declares what the libraries use of Darwin, with the types of Apple's headers. Tests/Apple/check.py compiles the libraries
// against it; this code is never run.

public let CLOCK_REALTIME: UInt32 = 0
public let ENOENT: Int32 = 2
public let EINTR: Int32 = 4
public let ENXIO: Int32 = 6
public let EACCES: Int32 = 13
public let ENOTDIR: Int32 = 20
public let EPERM: Int32 = 1
public let ELOOP: Int32 = 62
public let ENAMETOOLONG: Int32 = 63
public let O_RDONLY: Int32 = 0
public let O_NONBLOCK: Int32 = 4
public let O_CLOEXEC: Int32 = 0x100_0000
public let O_RDWR: Int32 = 2
public let O_NOFOLLOW: Int32 = 0x100
public let O_CREAT: Int32 = 0x200
public let O_EXCL: Int32 = 0x800
public let O_DIRECTORY: Int32 = 0x10_0000
public let AT_FDCWD: Int32 = -2
public let AT_SYMLINK_NOFOLLOW: Int32 = 0x20
public let AT_REMOVEDIR: Int32 = 0x80
public let LOCK_EX: Int32 = 2
public let LOCK_NB: Int32 = 4
public let RLIMIT_NOFILE: Int32 = 8
public let PATH_MAX: Int32 = 1024
public let S_IFMT: UInt16 = 0o170000
public let S_IFDIR: UInt16 = 0o040000
public let S_IFREG: UInt16 = 0o100000
public let S_IFLNK: UInt16 = 0o120000
public let ST_RDONLY: Int32 = 1

public struct timespec: Sendable {
  public var tv_sec = 0
  public var tv_nsec = 0
  public init() {}
  public init(tv_sec: Int, tv_nsec: Int) {}
}

public struct stat: Sendable {
  public var st_dev: Int32 = 0
  public var st_mode: UInt16 = 0
  public var st_ino: UInt64 = 0
  public var st_uid: UInt32 = 0
  public var st_size: Int64 = 0
  public init() {}
}

public struct statvfs {
  public var f_flag: UInt = 0
  public init() {}
}

@unsafe public struct passwd {
  public var pw_dir: UnsafeMutablePointer<CChar>?
  public init() {}
}

public var errno: Int32 {
  get { 0 }
  set {}
}

public func clock_gettime(_ clock: UInt32, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
@discardableResult
public func close(_ descriptor: Int32) -> Int32 { -1 }
public func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int { -1 }
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
public func fstatvfs(_ descriptor: Int32, _ volume: UnsafeMutablePointer<statvfs>!) -> Int32 { -1 }
public func realpath(_ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!)
  -> UnsafeMutablePointer<CChar>!
{ nil }
public func readlink(_ path: UnsafePointer<CChar>!, _ bytes: UnsafeMutablePointer<CChar>!, _ count: Int) -> Int { -1 }
public func geteuid() -> UInt32 { 0 }
public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }
public func getcwd(_ bytes: UnsafeMutablePointer<CChar>!, _ count: Int) -> UnsafeMutablePointer<CChar>! { nil }
public func getpwuid_r(
  _ user: UInt32, _ entry: UnsafeMutablePointer<passwd>!, _ bytes: UnsafeMutablePointer<CChar>!, _ count: Int,
  _ found: UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>!
) -> Int32 { -1 }

public let EPIPE: Int32 = 32
public let EAGAIN: Int32 = 35
public let F_GETFD: Int32 = 1
public let O_WRONLY: Int32 = 1
public let POLLOUT: Int32 = 4
public let SIGPIPE: Int32 = 13
public let SIG_UNBLOCK: Int32 = 2
public let SIG_DFL: (@convention(c) (Int32) -> Void)? = nil

public typealias sigset_t = UInt32

public struct pollfd {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init(fd: Int32, events: Int16, revents: Int16) {
    self.fd = fd
    self.events = events
    self.revents = revents
  }
}

public struct winsize {
  public var ws_col: UInt16 = 0
  public init() {}
}

public let TIOCGWINSZ: UInt = 0x4008_7468
public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 { -1 }
public func exit(_ status: Int32) -> Never { fatalError() }
public func _exit(_ status: Int32) -> Never { fatalError() }
public func isatty(_ descriptor: Int32) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { -1 }
public func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { -1 }
public func poll(_ descriptors: UnsafeMutablePointer<pollfd>!, _ count: UInt32, _ timeout: Int32) -> Int32 { -1 }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { nil }
public func signal(
  _ number: Int32, _ handler: (@convention(c) (Int32) -> Void)!
) -> (@convention(c) (Int32) -> Void)! { nil }
@discardableResult
public func sigemptyset(_ signals: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult
public func sigaddset(_ signals: UnsafeMutablePointer<sigset_t>!, _ number: Int32) -> Int32 { 0 }
@discardableResult
public func pthread_sigmask(
  _ change: Int32, _ signals: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32 { 0 }
@discardableResult
public func raise(_ number: Int32) -> Int32 { 0 }

public typealias rlim_t = UInt64

public struct rlimit {
  public var rlim_cur: rlim_t = 0
  public var rlim_max: rlim_t = 0
  public init() {}
}

public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { -1 }
public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { -1 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt16) -> Int32 { -1 }
public func fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!, _ flags: Int32
) -> Int32 { -1 }
public func mkdirat(_ folder: Int32, _ path: UnsafePointer<CChar>!, _ mode: UInt16) -> Int32 { -1 }
public func unlinkat(_ folder: Int32, _ path: UnsafePointer<CChar>!, _ flags: Int32) -> Int32 { -1 }
public func renameat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ other: Int32, _ newPath: UnsafePointer<CChar>!
) -> Int32 { -1 }
public func futimens(_ descriptor: Int32, _ times: UnsafePointer<timespec>!) -> Int32 { -1 }
public func fchmod(_ descriptor: Int32, _ mode: UInt16) -> Int32 { -1 }
public func fsync(_ descriptor: Int32) -> Int32 { -1 }
public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { -1 }

public struct DIR {}
@unsafe public struct dirent {
  public var d_name: (CChar, CChar) = (0, 0)
}

public func fdopendir(_ descriptor: Int32) -> UnsafeMutablePointer<DIR>! { nil }
public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
@discardableResult
public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 { 0 }

// MARK: Sockets

public let ECONNRESET: Int32 = 54
public let AF_INET: Int32 = 2
public let SOCK_STREAM: Int32 = 1
public let SOL_SOCKET: Int32 = 0xffff
public let SO_LINGER: Int32 = 0x80
public let SO_SNDBUF: Int32 = 0x1001
public let SO_RCVBUF: Int32 = 0x1002
public let SO_SNDTIMEO: Int32 = 0x1005
public let SO_RCVTIMEO: Int32 = 0x1006
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let INADDR_LOOPBACK: UInt32 = 0x7f00_0001

public typealias sa_family_t = UInt8
public typealias socklen_t = UInt32

public struct sockaddr {}

public struct in_addr {
  public var s_addr: UInt32 = 0
}

public struct sockaddr_in {
  public var sin_family: sa_family_t = 0
  public var sin_port: UInt16 = 0
  public var sin_addr = in_addr()
  public init() {}
}

public struct timeval {
  public var tv_sec = 0
  public var tv_usec: Int32 = 0
  public init() {}
}

public struct linger {
  public init(l_onoff: Int32, l_linger: Int32) {}
}

public func socket(_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 { -1 }
public func bind(_ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t) -> Int32 { -1 }
public func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { -1 }
public func accept(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
public func getsockname(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32 { -1 }
public func setsockopt(
  _ socket: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeRawPointer!, _ size: socklen_t
) -> Int32 { -1 }
public func recv(_ socket: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }
public func send(_ socket: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { -1 }
public func shutdown(_ socket: Int32, _ directions: Int32) -> Int32 { -1 }
