// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ActionableError where Self: LocalizedError {
  /// The sentence that describes the problem, which `localizedDescription` returns.
  public var errorDescription: String? { message }

  /// The sentence that describes how to fix the problem.
  public var recoverySuggestion: String? { remedy }
}

extension CredentialError: LocalizedError {}
extension PolicyError: LocalizedError {}
extension SigningError: LocalizedError {}
extension SigningRefusal: LocalizedError {}
extension StorageError: LocalizedError {}
extension TransportError: LocalizedError {}
extension VerificationError: LocalizedError {}
