// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what the example for iPhones uses of UniformTypeIdentifiers; see SwiftUI.swift.

public struct UTType: Sendable {
  public static let jpeg = UTType()
}
