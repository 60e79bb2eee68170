// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, TypeNamesShouldBeCapitalized

// Declares what the libraries use of the module os; see Darwin.swift.

@available(macOS 13.0, iOS 16.0, *)
@frozen public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {}

@available(macOS 13.0, iOS 16.0, *)
extension OSAllocatedUnfairLock where State == () {
  public init() {}
  @available(*, noasync)
  public func lock() {}
  @available(*, noasync)
  public func unlock() {}
}
