// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Declares what the client uses of swift-system, whose package restricts no declaration to a system; see Darwin.swift.

public import Darwin

public enum CInterop {
  public typealias Mode = UInt16
}

public struct Errno: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public var description: String { "" }
  public static var noSuchFileOrDirectory: Errno { Errno(rawValue: 1) }
  public static var wouldBlock: Errno { Errno(rawValue: 2) }
  public static var directoryNotEmpty: Errno { Errno(rawValue: 3) }
  public static var resourceBusy: Errno { Errno(rawValue: 4) }
  public static var notSupported: Errno { Errno(rawValue: 5) }
  public static var ioError: Errno { Errno(rawValue: 6) }
  public static var fileExists: Errno { Errno(rawValue: 7) }
  public static var notDirectory: Errno { Errno(rawValue: 8) }
  public static var tooManySymbolicLinkLevels: Errno { Errno(rawValue: 9) }
  public static var improperLink: Errno { Errno(rawValue: 10) }
  public static var permissionDenied: Errno { Errno(rawValue: 11) }
  public static func ~= (first: Errno, second: any Error) -> Bool { false }
}

public struct FilePermissions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let ownerReadWrite = FilePermissions(rawValue: 0o600)
  public static let ownerReadWriteExecute = FilePermissions(rawValue: 0o700)
  public static let groupWrite = FilePermissions(rawValue: 0o20)
  public static let otherWrite = FilePermissions(rawValue: 0o2)
  public static let groupRead = FilePermissions(rawValue: 0o40)
  public static let otherRead = FilePermissions(rawValue: 0o4)
  public static let setUserID = FilePermissions(rawValue: 0o4000)
  public static let setGroupID = FilePermissions(rawValue: 0o2000)
}

public struct FilePath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  public struct Component: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public enum Kind: Sendable { case currentDirectory, parentDirectory, regular }
    public init?(_ text: String) {}
    public init(stringLiteral value: String) {}
    public init?(platformString: UnsafePointer<CChar>) {}
    public let kind = Kind.regular
    public var `extension`: String? { nil }
    public let string = ""
    public let description = ""
    public func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
      try body([])
    }
  }
  public init(_ text: String) {}
  public init(stringLiteral value: String) {}
  public var isAbsolute: Bool { false }
  public var isEmpty: Bool { false }
  public var `extension`: String? { nil }
  public var lastComponent: Component? { nil }
  public func removingLastComponent() -> FilePath { self }
  public func appending(_ component: Component) -> FilePath { self }
  public func appending(_ text: String) -> FilePath { self }
  public func pushing(_ other: FilePath) -> FilePath { self }
  public let string = ""
  public let description = ""
  public func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try body([])
  }
}

public struct FileDescriptor: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public enum AccessMode: Sendable { case readOnly, writeOnly, readWrite }
  public struct OpenOptions: OptionSet, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
    public static let closeOnExec = OpenOptions(rawValue: 0x100_0000)
  }
  public static func open(
    _ path: FilePath, _ mode: AccessMode, options: OpenOptions = []
  ) throws -> FileDescriptor { FileDescriptor(rawValue: -1) }
  public func close() throws {}
  public func closeAfter<Result>(_ body: () throws -> Result) throws -> Result { try body() }
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
  public func stat() throws -> Stat { Stat(rawValue: Darwin.stat()) }
  public func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
  public func writeAll(toAbsoluteOffset offset: Int64, _ bytes: some Sequence<UInt8>) throws -> Int { 0 }
}

public struct Stat: RawRepresentable, Sendable {
  public struct UserID: RawRepresentable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
  }
  public struct DeviceID: RawRepresentable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
  }
  public struct Inode: RawRepresentable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
  }
  public enum FileType: Sendable { case regular, directory, symbolicLink, socket }
  public let rawValue: stat
  public init(rawValue: stat) { self.rawValue = rawValue }
  public var type: FileType { .regular }
  public var size: Int64 { 0 }
  public var permissions: FilePermissions { [] }
  public var userID: UserID { UserID(rawValue: 0) }
  public var linkCount: Int { 0 }
  public var deviceID: DeviceID { DeviceID(rawValue: 0) }
  public var inode: Inode { Inode(rawValue: 0) }
  public var st_mtim: timespec { timespec() }
}

extension String {
  public init(decoding component: FilePath.Component) { self = "" }
  public init?(validating component: FilePath.Component) { return nil }
}
