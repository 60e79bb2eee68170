// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageAuth

extension HTTPResponse {
  /// Whether the service performed the operation.
  ///
  /// Status 203 reports that the callback after an upload failed.
  package var isSuccess: Bool { status.kind == .successful && status.code != 203 }
}

extension HTTPStreamingResponse {
  /// Returns the beginning of an error response's body, or an empty array and `true` if the body cannot be read.
  func errorBody() async throws -> (bytes: [UInt8], isCut: Bool) {
    do {
      return (try await body.prefix(bytes: ServiceError.bodyLimit), false)
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      return ([], true)
    }
  }
}
