// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
    "CredentialSources.SystemFiles": "no properties",
    "CredentialSources.FileReadError": "an enumeration and the system's error description",
    "CredentialSources.FileWeakness": "a path, and the accounts that may write there",
    "CredentialSources.CommandResult.Ending": "a number",
    "CredentialSources.CredentialWarning": "a source, a path and advice",
    "CredentialSources.CommandError": "a source and advice",
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
      ("CredentialSources.ProviderContext", machine),
      ("CredentialSources.FileContents", FileContents(Array(secret.utf8))),
      (
        "CredentialSources.CommandResult",
        CommandResult(.exited(0), standardOutput: Array(secret.utf8), standardErrorLength: 0)
      ),
      ("CredentialSources.CredentialCommand", CredentialCommand(["vault", "--token", token])),
      (
        "CredentialSources.ProcessCredentialProvider",
        ProcessCredentialProvider(["vault", "--token", token], environment: ["TOKEN": token], machine: machine)
      ),
      ("CredentialSources.EnvironmentCredentialProvider", EnvironmentCredentialProvider.oss),
      ("OSSAuth.AlibabaCredentials", AlibabaCredentials(machine)),
      ("OSSAuth.AlibabaCLIProfileProvider", AlibabaCLIProfileProvider(machine: machine)),
      ("OSSAuth.AlibabaSharedProfileProvider", AlibabaSharedProfileProvider(machine: machine)),
      ("OSSAuth.OSSSDKProfileProvider", OSSSDKProfileProvider(machine: machine)),
      ("OSSAuth.OSSUtilProfileProvider", OSSUtilProfileProvider(machine: machine)),
      ("COSAuth.TencentCredentials", TencentCredentials(machine)),
      ("COSAuth.TencentProfileProvider", TencentProfileProvider(machine: machine)),
      ("COSAuth.TCCLIProfileProvider", TCCLIProfileProvider(machine: machine)),
      ("COSAuth.COSCLIProfileProvider", COSCLIProfileProvider(machine: machine)),
      ("COSAuth.COSCMDProfileProvider", COSCMDProfileProvider(machine: machine)),
      ("S3Auth.AmazonCredentials", AmazonCredentials(machine)),
      ("S3Auth.AmazonProfileProvider", AmazonProfileProvider(machine: machine)),
      ("S3Auth.AmazonContainerProvider", AmazonContainerProvider(machine: machine)),
      ("S3Auth.AmazonInstanceMetadataProvider", AmazonInstanceMetadataProvider(transport: transport)),
      (
        "S3Auth.AmazonAssumeRoleProvider",
        AmazonAssumeRoleProvider(roleARN: "arn:aws:iam::1:role/x", credentials: keys, transport: transport)
      ),
      (
        "S3Auth.AmazonWebIdentityProvider",
        AmazonWebIdentityProvider(roleARN: "arn:aws:iam::1:role/x", transport: transport) { Secret(token) }
      ),
      ("CredentialSources.AppServerRequest", login),
      ("CredentialSources.AppServerCredentialProvider", AppServerCredentialProvider(url, transport: transport)),
      (
        "CredentialSources.ScopedAppServerProvider",
        ScopedAppServerProvider(url, region: "cn-hangzhou", transport: transport)
      ),
      ("CredentialSources.AppServerCredentialProvider", AppServerCredentialProvider(transport: transport) { login }),
      ("OSSAuth.CredentialsURIProvider", CredentialsURIProvider(url, transport: transport)),
      (
        "OSSAuth.AlibabaAssumeRoleProvider",
        AlibabaAssumeRoleProvider(roleARN: "acs:ram::1:role/x", credentials: keys, transport: transport)
      ),
      (
        "OSSAuth.AlibabaOIDCProvider",
        AlibabaOIDCProvider(
          roleARN: "acs:ram::1:role/x", providerARN: "acs:ram::1:oidc-provider/x", transport: transport
        ) { Secret(token) }
      ),
      ("OSSAuth.AlibabaInstanceMetadataProvider", AlibabaInstanceMetadataProvider(transport: transport)),
      (
        "COSAuth.TencentFederationProvider",
        TencentFederationProvider(name: "x", policy: "{}", credentials: keys, transport: transport)
      ),
      (
        "COSAuth.TencentAssumeRoleProvider",
        TencentAssumeRoleProvider(roleARN: "qcs::cam::uin/1:roleName/x", credentials: keys, transport: transport)
      ),
      (
        "COSAuth.TencentWebIdentityProvider",
        TencentWebIdentityProvider(roleARN: "qcs::cam::uin/1:roleName/x", providerID: "x", transport: transport) {
          Secret(token)
        }
      ),
      ("COSAuth.TencentInstanceMetadataProvider", TencentInstanceMetadataProvider(transport: transport)),
    ]
  }
}
