// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what the client uses of swift-log; see Darwin.swift.

public struct Logger: Sendable {
  public enum Level: Sendable { case trace, debug, info, notice, warning, error, critical }
  public struct Message: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
  }
  public enum MetadataValue: ExpressibleByStringInterpolation, Sendable {
    case string(String)
    public init(stringLiteral value: String) { self = .string(value) }
  }
  public typealias Metadata = [String: MetadataValue]

  public init(label: String) {}
  public func log(level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func trace(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
}
