// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import CloudCredentials
import HTTPTypes
import StorageAuth

extension Subjects {
  /// Types of the credential providers whose instances hold no secret, with the reason.
  static let holdsNothingOfSources: [String: String] = [
    "CloudCredentials.AlibabaSTSEndpoint": "an address",
    "CloudCredentials.TencentSTSEndpoint": "an address",
    "CloudCredentials.AmazonSTSEndpoint": "an address",
    "CloudCredentials.AmazonSettings": "a region and addresses",
    "CloudCredentials.ProcessOutputFormat": "a function",
    "CloudCredentials.AppServerFormat": "an enumeration, or a function",
    "CloudCredentials.SystemFiles": "no properties",
    "CloudCredentials.FileReadError": "an enumeration and the system's error description",
    "CloudCredentials.FileWeakness": "a path, and the accounts that may write there",
    "CloudCredentials.CommandResult.Ending": "a number",
    "CloudCredentials.CredentialWarning": "a source, a path and advice",
    "CloudCredentials.CommandError": "a source and advice",
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
      ("CloudCredentials.ProviderContext", machine),
      ("CloudCredentials.FileContents", FileContents(Array(secret.utf8))),
      (
        "CloudCredentials.CommandResult",
        CommandResult(.exited(0), standardOutput: Array(secret.utf8), standardErrorLength: 0)
      ),
      ("CloudCredentials.CredentialCommand", CredentialCommand(["vault", "--token", token])),
      (
        "CloudCredentials.ProcessCredentialProvider",
        ProcessCredentialProvider(["vault", "--token", token], environment: ["TOKEN": token], machine: machine)
      ),
      ("CloudCredentials.EnvironmentCredentialProvider", EnvironmentCredentialProvider.oss),
      ("CloudCredentials.AlibabaCredentials", AlibabaCredentials(machine)),
      ("CloudCredentials.AlibabaCLIProfileProvider", AlibabaCLIProfileProvider(machine: machine)),
      ("CloudCredentials.AlibabaSharedProfileProvider", AlibabaSharedProfileProvider(machine: machine)),
      ("CloudCredentials.OSSSDKProfileProvider", OSSSDKProfileProvider(machine: machine)),
      ("CloudCredentials.OSSUtilProfileProvider", OSSUtilProfileProvider(machine: machine)),
      ("CloudCredentials.TencentCredentials", TencentCredentials(machine)),
      ("CloudCredentials.TencentProfileProvider", TencentProfileProvider(machine: machine)),
      ("CloudCredentials.TCCLIProfileProvider", TCCLIProfileProvider(machine: machine)),
      ("CloudCredentials.COSCLIProfileProvider", COSCLIProfileProvider(machine: machine)),
      ("CloudCredentials.COSCMDProfileProvider", COSCMDProfileProvider(machine: machine)),
      ("CloudCredentials.AmazonCredentials", AmazonCredentials(machine)),
      ("CloudCredentials.AmazonProfileProvider", AmazonProfileProvider(machine: machine)),
      ("CloudCredentials.AmazonContainerProvider", AmazonContainerProvider(machine: machine)),
      ("CloudCredentials.AmazonInstanceMetadataProvider", AmazonInstanceMetadataProvider(transport: transport)),
      (
        "CloudCredentials.AmazonAssumeRoleProvider",
        AmazonAssumeRoleProvider(roleARN: "arn:aws:iam::1:role/x", credentials: keys, transport: transport)
      ),
      (
        "CloudCredentials.AmazonWebIdentityProvider",
        AmazonWebIdentityProvider(roleARN: "arn:aws:iam::1:role/x", transport: transport) { Secret(token) }
      ),
      ("CloudCredentials.AppServerRequest", login),
      ("CloudCredentials.AppServerCredentialProvider", AppServerCredentialProvider(url, transport: transport)),
      (
        "CloudCredentials.ScopedAppServerProvider",
        ScopedAppServerProvider(url, region: "cn-hangzhou", transport: transport)
      ),
      ("CloudCredentials.AppServerCredentialProvider", AppServerCredentialProvider(transport: transport) { login }),
      ("CloudCredentials.CredentialsURIProvider", CredentialsURIProvider(url, transport: transport)),
      (
        "CloudCredentials.AlibabaAssumeRoleProvider",
        AlibabaAssumeRoleProvider(roleARN: "acs:ram::1:role/x", credentials: keys, transport: transport)
      ),
      (
        "CloudCredentials.AlibabaOIDCProvider",
        AlibabaOIDCProvider(
          roleARN: "acs:ram::1:role/x", providerARN: "acs:ram::1:oidc-provider/x", transport: transport
        ) { Secret(token) }
      ),
      ("CloudCredentials.AlibabaInstanceMetadataProvider", AlibabaInstanceMetadataProvider(transport: transport)),
      (
        "CloudCredentials.TencentFederationProvider",
        TencentFederationProvider(name: "x", policy: "{}", credentials: keys, transport: transport)
      ),
      (
        "CloudCredentials.TencentAssumeRoleProvider",
        TencentAssumeRoleProvider(roleARN: "qcs::cam::uin/1:roleName/x", credentials: keys, transport: transport)
      ),
      (
        "CloudCredentials.TencentWebIdentityProvider",
        TencentWebIdentityProvider(roleARN: "qcs::cam::uin/1:roleName/x", providerID: "x", transport: transport) {
          Secret(token)
        }
      ),
      ("CloudCredentials.TencentInstanceMetadataProvider", TencentInstanceMetadataProvider(transport: transport)),
    ]
  }
}
