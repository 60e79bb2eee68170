// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import Foundation
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting

/// An HTTP provider with a response in the real service's format.
struct RemoteService: Sendable {
  let name: String
  /// The responses before the one with the key.
  var before: [String] = []
  /// The response with the key.
  let answer: String
  /// The paths of the ID, the secret, the token and the expiration in the response.
  let id: [String]
  let secret: [String]
  let token: [String]
  let end: [String]
  /// The number of requests to a service that does not respond.
  var tries = 1
  let provider: @Sendable (any HTTPTransport, any SigningClock) -> any CredentialProvider<AccessKey>

  static let secretText = "s3cretOfTheAnswer/+="
  static let tokenText = "tokenOfTheAnswer/+=="
  static let ownSecret = "s3cretThatAsks/+="
  static let ownToken = "tokenThatAsks/+=="
  static let identityToken = "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl"
  static let allSecrets = [secretText, tokenText, ownSecret, ownToken, identityToken]

  /// The wall clock of the tests; the keys expire an hour later.
  static let now = Timestamp(unixSeconds: 1_800_000_000)
  static let end = Timestamp(unixSeconds: 1_800_003_600)
  static let date = ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"]

  static let ownKey = StaticCredentialProvider(AccessKey(id: "LTAIasks", secret: ownSecret))
  static let ownTemporaryKey = StaticCredentialProvider(
    AccessKey(id: "STS.asks", secret: ownSecret, sessionToken: ownToken))

  static func readIdentity() async throws(CredentialError) -> Secret { Secret(identityToken + "\n") }

  private static let alibabaFields = """
    "AccessKeyId":"STS.id","AccessKeySecret":"\(secretText)","SecurityToken":"\(tokenText)",\
    "Expiration":"2027-01-15T09:00:00Z"
    """
  private static let alibabaSTS = """
    {"RequestId":"R-1","AssumedRoleUser":{"Arn":"acs:ram::1:role/x/alice","AssumedRoleId":"344:alice"},\
    "Credentials":{\(alibabaFields)}}
    """
  private static let tencentSTS = """
    {"Response":{"Credentials":{"Token":"\(tokenText)","TmpSecretId":"AKIDid","TmpSecretKey":"\(secretText)"},\
    "ExpiredTime":1800003600,"Expiration":"2027-01-15T09:00:00Z","RequestId":"R-1"}}
    """

  static let ossAppServer = RemoteService(
    name: "OSS app server", answer: #"{"StatusCode":200,\#(alibabaFields)}"#, id: ["AccessKeyId"],
    secret: ["AccessKeySecret"], token: ["SecurityToken"], end: ["Expiration"]
  ) {
    AppServerCredentialProvider("https://app.example.com/distribute-token.json").bound(
      to: ProviderContext(transport: $0, time: $1))
  }

  static let cosAppServer = RemoteService(
    name: "COS app server",
    answer: """
      {"credentials":{"tmpSecretId":"AKIDid","tmpSecretKey":"\(secretText)","sessionToken":"\(tokenText)"},\
      "startTime":1800000000,"expiredTime":1800003600,"requestId":"R-1"}
      """,
    id: ["credentials", "tmpSecretId"], secret: ["credentials", "tmpSecretKey"],
    token: ["credentials", "sessionToken"], end: ["expiredTime"]
  ) {
    AppServerCredentialProvider("https://app.example.com/sts", format: .cos).bound(
      to: ProviderContext(transport: $0, time: $1))
  }

  static let credentialsURI = RemoteService(
    name: "credentials URI", answer: "{\(alibabaFields)}", id: ["AccessKeyId"], secret: ["AccessKeySecret"],
    token: ["SecurityToken"], end: ["Expiration"]
  ) { CredentialsURIProvider("http://127.0.0.1:7002/credentials").bound(to: ProviderContext(transport: $0, time: $1)) }

  static let alibabaRole = RemoteService(
    name: "Alibaba AssumeRole", answer: alibabaSTS, id: ["Credentials", "AccessKeyId"],
    secret: ["Credentials", "AccessKeySecret"], token: ["Credentials", "SecurityToken"],
    end: ["Credentials", "Expiration"]
  ) {
    AlibabaAssumeRoleProvider(roleARN: "acs:ram::1:role/x", credentials: ownTemporaryKey).bound(
      to: ProviderContext(transport: $0, time: $1))
  }

  static let alibabaOIDC = RemoteService(
    name: "Alibaba AssumeRoleWithOIDC", answer: alibabaSTS, id: ["Credentials", "AccessKeyId"],
    secret: ["Credentials", "AccessKeySecret"], token: ["Credentials", "SecurityToken"],
    end: ["Credentials", "Expiration"]
  ) {
    AlibabaOIDCProvider(
      roleARN: "acs:ram::1:role/x", providerARN: "acs:ram::1:oidc-provider/p",
      token: readIdentity
    ).bound(to: ProviderContext(transport: $0, time: $1))
  }

  static let alibabaMetadata = RemoteService(
    name: "Alibaba metadata", before: ["metadata-token", "role\n"],
    answer: #"{\#(alibabaFields),"LastUpdated":"2027-01-15T07:00:00Z","Code":"Success"}"#, id: ["AccessKeyId"],
    secret: ["AccessKeySecret"], token: ["SecurityToken"], end: ["Expiration"]
  ) { AlibabaInstanceMetadataProvider().bound(to: ProviderContext(transport: $0, time: $1)) }

  static let tencentFederation = RemoteService(
    name: "Tencent GetFederationToken", answer: tencentSTS, id: ["Response", "Credentials", "TmpSecretId"],
    secret: ["Response", "Credentials", "TmpSecretKey"], token: ["Response", "Credentials", "Token"],
    end: ["Response", "ExpiredTime"]
  ) {
    TencentFederationProvider(
      name: "phone", policy: #"{"version":"2.0"}"#, credentials: ownKey
    ).bound(to: ProviderContext(transport: $0, time: $1))
  }

  static let tencentRole = RemoteService(
    name: "Tencent AssumeRole", answer: tencentSTS, id: ["Response", "Credentials", "TmpSecretId"],
    secret: ["Response", "Credentials", "TmpSecretKey"], token: ["Response", "Credentials", "Token"],
    end: ["Response", "ExpiredTime"]
  ) {
    TencentAssumeRoleProvider(
      roleARN: "qcs::cam::uin/1:roleName/x", credentials: ownTemporaryKey
    ).bound(to: ProviderContext(transport: $0, time: $1))
  }

  static let tencentWebIdentity = RemoteService(
    name: "Tencent AssumeRoleWithWebIdentity", answer: tencentSTS, id: ["Response", "Credentials", "TmpSecretId"],
    secret: ["Response", "Credentials", "TmpSecretKey"], token: ["Response", "Credentials", "Token"],
    end: ["Response", "ExpiredTime"]
  ) {
    TencentWebIdentityProvider(
      roleARN: "qcs::cam::uin/1:roleName/x", providerID: "tke", token: readIdentity
    ).bound(to: ProviderContext(transport: $0, time: $1))
  }

  static let tencentMetadata = RemoteService(
    name: "Tencent metadata", before: ["role\n"],
    answer: """
      {"TmpSecretId":"AKIDid","TmpSecretKey":"\(secretText)","ExpiredTime":1800003600,\
      "Expiration":"2027-01-15T09:00:00Z","Token":"\(tokenText)","Code":"Success"}
      """, id: ["TmpSecretId"], secret: ["TmpSecretKey"], token: ["Token"], end: ["ExpiredTime"]
  ) { TencentInstanceMetadataProvider().bound(to: ProviderContext(transport: $0, time: $1)) }

  private static let amazonFields = """
    "AccessKeyId":"STS.id","SecretAccessKey":"\(secretText)","Token":"\(tokenText)",\
    "Expiration":"2027-01-15T09:00:00Z"
    """

  static let amazonMetadata = RemoteService(
    name: "Amazon metadata", before: ["metadata-token", "role\n"],
    answer:
      #"{"Code":"Success","LastUpdated":"2027-01-15T07:00:00Z","Type":"AWS-HMAC",\#(amazonFields)}"#,
    id: ["AccessKeyId"], secret: ["SecretAccessKey"], token: ["Token"], end: ["Expiration"]
  ) { AmazonInstanceMetadataProvider().bound(to: ProviderContext(transport: $0, time: $1)) }

  static let amazonContainer = RemoteService(
    name: "Amazon container", answer: #"{"RoleArn":"arn:aws:iam::1:role/x",\#(amazonFields)}"#, id: ["AccessKeyId"],
    secret: ["SecretAccessKey"], token: ["Token"], end: ["Expiration"], tries: 3
  ) { transport, time in
    let variables = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1"]
    return AmazonContainerProvider().bound(
      to: ProviderContext(
        environment: { variables[$0] }, home: nil, files: SystemFiles(), transport: transport, time: time))
  }

  static let all = [
    ossAppServer, cosAppServer, credentialsURI, alibabaRole, alibabaOIDC, alibabaMetadata, tencentFederation,
    tencentRole, tencentWebIdentity, tencentMetadata, amazonMetadata, amazonContainer,
  ]
}
