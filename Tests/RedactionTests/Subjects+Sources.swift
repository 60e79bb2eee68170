// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth

extension Subjects {
  /// Types of the credential providers whose instances hold no secret, with the reason.
  static let holdsNothingOfSources: [String: String] = [
    "OSSAuth.AlibabaSTSEndpoint": "an address",
    "COSAuth.TencentSTSEndpoint": "an address",
    "S3Auth.AmazonSTSEndpoint": "an address",
    "S3Auth.AmazonSettings": "a region and addresses",
    "CredentialSources.ProcessOutputFormat": "a function",
    "CredentialSources.AppServerFormat": "an enumeration, or a function",
    "StorageAuth.SystemFiles": "no properties",
    "StorageAuth.FileReadError": "an enumeration and the system's error description",
    "StorageAuth.FileWeakness": "a path, and the accounts that may write there",
    "StorageAuth.CommandResult.Ending": "a number",
    "StorageAuth.CredentialWarning": "a source, a path and advice",
    "StorageAuth.CommandError": "a source and advice",
  ]

  /// A machine whose environment variables and files contain secrets.
  struct Machine: FileReader, HTTPTransport {
    func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
      FileContents(Array("[default]\nsecret_key = \(secret)\n".utf8))
    }

    func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
      HTTPStreamingResponse(response: HTTPResponse(status: .ok), body: ByteStream(Array(secret.utf8)))
    }
  }

  /// Returns every provider, built with secrets in every property that accepts one.
  static func sources() -> [(String, Any)] {
    let transport = Machine()
    let machine = ProviderContext(
      environment: { name in name.contains("SECRET") || name.contains("TOKEN") ? secret : nil }, home: "/home/mia",
      files: transport, transport: transport)
    let keys = StaticCredentialProvider(key)
    let url = "https://app.example.com/sts?login=\(mark)"
    let login = AppServerRequest(
      url, method: .post, headers: [.authorization: "Bearer \(token)"], body: Array(secret.utf8))
    return [
      ("StorageAuth.ProviderContext", machine),
      ("StorageAuth.BoundCredentialProvider", AppServerCredentialProvider(url).bound(to: machine)),
      ("StorageAuth.FileContents", FileContents(Array(secret.utf8))),
      (
        "StorageAuth.CommandResult",
        CommandResult(.exited(0), standardOutput: Array(secret.utf8), standardErrorLength: 0)
      ),
      ("CredentialSources.CredentialCommand", CredentialCommand(["vault", "--token", token])),
      (
        "CredentialSources.ProcessCredentialProvider",
        ProcessCredentialProvider(["vault", "--token", token], environment: ["TOKEN": token])
      ),
      ("CredentialSources.EnvironmentCredentialProvider", EnvironmentCredentialProvider.oss),
      ("CredentialSources.ProfileCredentialProvider", ProfileCredentialProvider.alibabaCLIProfile(token)),
      ("OSSAuth.AlibabaCredentials", AlibabaCredentials()),
      ("COSAuth.TencentCredentials", TencentCredentials()),
      ("S3Auth.AmazonCredentials", AmazonCredentials()),
      ("S3Auth.AmazonContainerProvider", AmazonContainerProvider()),
      ("S3Auth.AmazonInstanceMetadataProvider", AmazonInstanceMetadataProvider()),
      (
        "S3Auth.AmazonAssumeRoleProvider",
        AmazonAssumeRoleProvider(roleARN: "arn:aws:iam::1:role/x", credentials: keys)
      ),
      (
        "S3Auth.AmazonWebIdentityProvider",
        AmazonWebIdentityProvider(roleARN: "arn:aws:iam::1:role/x") { Secret(token) }
      ),
      ("CredentialSources.AppServerRequest", login),
      ("CredentialSources.AppServerCredentialProvider", AppServerCredentialProvider(url)),
      (
        "CredentialSources.ScopedAppServerProvider",
        ScopedAppServerProvider(url, region: "cn-hangzhou")
      ),
      ("CredentialSources.AppServerCredentialProvider", AppServerCredentialProvider { login }),
      ("OSSAuth.CredentialsURIProvider", CredentialsURIProvider(url)),
      (
        "OSSAuth.AlibabaAssumeRoleProvider",
        AlibabaAssumeRoleProvider(roleARN: "acs:ram::1:role/x", credentials: keys)
      ),
      (
        "OSSAuth.AlibabaOIDCProvider",
        AlibabaOIDCProvider(
          roleARN: "acs:ram::1:role/x", providerARN: "acs:ram::1:oidc-provider/x"
        ) { Secret(token) }
      ),
      ("OSSAuth.AlibabaInstanceMetadataProvider", AlibabaInstanceMetadataProvider()),
      (
        "COSAuth.TencentFederationProvider",
        TencentFederationProvider(name: "x", policy: "{}", credentials: keys)
      ),
      (
        "COSAuth.TencentAssumeRoleProvider",
        TencentAssumeRoleProvider(roleARN: "qcs::cam::uin/1:roleName/x", credentials: keys)
      ),
      (
        "COSAuth.TencentWebIdentityProvider",
        TencentWebIdentityProvider(roleARN: "qcs::cam::uin/1:roleName/x", providerID: "x") {
          Secret(token)
        }
      ),
      ("COSAuth.TencentInstanceMetadataProvider", TencentInstanceMetadataProvider()),
    ]
  }
}
