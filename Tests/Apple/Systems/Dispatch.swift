// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Declares what the libraries use of Dispatch; see Darwin.swift.

open class DispatchQueue: @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 2)
  }
  public init(label: String, attributes: Attributes = []) {}
  public class func global() -> DispatchQueue { DispatchQueue(label: "") }
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

open class DispatchSemaphore: @unchecked Sendable {
  public init(value: Int) {}
  @discardableResult
  public func signal() -> Int { 0 }
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public enum DispatchTimeInterval: Sendable { case seconds(Int) }

public struct DispatchTime: Sendable {
  public static func now() -> DispatchTime { DispatchTime() }
  public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
}

public protocol DispatchSourceProtocol: AnyObject {
  func setEventHandler(handler: (@Sendable @convention(block) () -> Void)?)
  func setCancelHandler(handler: (@Sendable @convention(block) () -> Void)?)
  func activate()
  func cancel()
}

public protocol DispatchSourceRead: DispatchSourceProtocol {}

open class DispatchSource: DispatchSourceRead, @unchecked Sendable {
  public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead {
    DispatchSource()
  }
  public func setEventHandler(handler: (@Sendable @convention(block) () -> Void)?) {}
  public func setCancelHandler(handler: (@Sendable @convention(block) () -> Void)?) {}
  public func activate() {}
  public func cancel() {}
}
