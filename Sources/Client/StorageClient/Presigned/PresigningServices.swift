// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension PresignedURLRules {
  /// The rules of all services whose presigned URLs the package creates.
  static let all = [oss, cos, s3]
}

extension ServiceDialect {
  /// Returns the dialect of the service that a response comes from, by the name of the header with the request ID.
  static func named(in response: HTTPResponse) -> ServiceDialect {
    [oss, cos].first { response.headerFields[$0.requestID] != nil } ?? s3
  }
}
