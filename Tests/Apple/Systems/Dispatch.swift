// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
