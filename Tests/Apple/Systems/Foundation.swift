// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Declares what the libraries use of Foundation; see Darwin.swift.

public struct URL: Sendable {
  public var path: String { "" }
  @available(macOS 13.0, iOS 16.0, *)
  public static var homeDirectory: URL { URL() }
}

open class ProcessInfo: @unchecked Sendable {
  public static let processInfo = ProcessInfo()
  public var environment: [String: String] { [:] }
}

open class FileManager: @unchecked Sendable {
  public static let `default` = FileManager()
  public var currentDirectoryPath: String { "" }
}
