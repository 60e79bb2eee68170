// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what Foundation has on Apple's systems only; see SwiftUI.swift. The compiler imports it into every file.

import Foundation
import FoundationNetworking

extension URL {
  public static var documentsDirectory: URL { URL(filePath: "/") }
  public func startAccessingSecurityScopedResource() -> Bool { false }
  public func stopAccessingSecurityScopedResource() {}
}

extension URLSessionConfiguration {
  public static func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
}
