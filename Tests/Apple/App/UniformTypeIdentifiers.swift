// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what the example for iPhones uses of UniformTypeIdentifiers; see SwiftUI.swift.

public struct UTType: Sendable {
  public static let jpeg = UTType()
}
