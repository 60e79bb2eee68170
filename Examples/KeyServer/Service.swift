// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
package import CredentialSources
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthServer

/// The storage service of the app, with its token service and the format in which its SDKs read temporary keys.
package enum Service: String, CaseIterable, Sendable {
  case oss
  case cos
  case s3

  /// The bucket of the app.
  package var bucket: String {
    switch self {
    case .oss, .s3: "photos"
    case .cos: "photos-1250000000"
    }
  }

  /// The format of the app server's responses.
  var format: TokenFormat {
    switch self {
    case .oss: .oss
    case .cos: .cos
    case .s3: .s3
    }
  }

  /// The format in which the app reads the responses.
  ///
  /// The key of COS is in `tmpSecretId`, `tmpSecretKey`, `sessionToken`, `startTime` and `expiredTime`.
  package var appFormat: AppServerFormat {
    switch self {
    case .oss: .oss
    case .cos: .cos
    case .s3: .s3
    }
  }

  /// Returns the policy document with the rights of a scope, in the language of the service.
  func document(of scope: TokenScope) throws -> String {
    switch self {
    case .oss: try scope.policy.ramDocument()
    case .cos: try scope.policy.camDocument(region: "ap-guangzhou")
    case .s3: try scope.policy.iamDocument()
    }
  }

  /// Returns the provider that requests keys with the rights of a scope from the token service.
  ///
  /// - Parameters:
  ///   - scope: The rights and the lifetime of the keys.
  ///   - owner: The permanent key of the app's account, which never leaves the server.
  ///   - sts: The URL of the token service.
  func provider(
    of scope: TokenScope, owner: some CredentialProvider<AccessKey>, sts: String
  ) throws -> any CredentialProvider<AccessKey> {
    let policy = try document(of: scope)
    switch self {
    case .oss:
      return AlibabaAssumeRoleProvider(
        roleARN: "acs:ram::1250000000:role/localcloud", sessionName: scope.name, credentials: owner,
        duration: scope.lifetime, policy: policy, endpoint: .url(sts))
    case .cos:
      return TencentFederationProvider(
        name: scope.name, policy: policy, credentials: owner, duration: scope.lifetime, endpoint: .url(sts))
    case .s3:
      return AmazonAssumeRoleProvider(
        roleARN: "arn:aws:iam::125000000000:role/localcloud", sessionName: scope.name, credentials: owner,
        duration: scope.lifetime, policy: policy, endpoint: .url(sts))
    }
  }
}
