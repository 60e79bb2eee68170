// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// StorageClient implements the protocol for each actionable error.
extension AsperaError: LocalizedError {}

extension TransferFailure: LocalizedError {
  /// The sentence that describes what failed, which `localizedDescription` returns.
  public var errorDescription: String? { message }
  /// The sentence that describes how to solve the problem.
  public var recoverySuggestion: String? { remedy }
}
