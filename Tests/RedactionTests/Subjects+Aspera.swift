// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth

extension Subjects {
  /// Types of AsperaAuth whose instances hold no secret, with the reason.
  static let holdsNothingOfAspera: [String: String] = [
    "AsperaAuth.AccountReport": "the result of a check, without the credential",
    "AsperaAuth.AccountReport.Authentication": "an authentication method, or the report of a key",
    "AsperaAuth.AscpErrorCode": "a number and a name",
    "AsperaAuth.AscpFailureClass": "an enumeration without payload",
    "AsperaAuth.AscpArguments": "options that cannot contain a secret",
    "AsperaAuth.AscpOptions": "ports and paths",
    "AsperaAuth.AscpOptions.FallbackFiles": "two paths",
    "AsperaAuth.AscpOptions.Part": "numbers",
    "AsperaAuth.AscpOptions.WebSocketUse": "an enumeration without payload",
    "AsperaAuth.AsperaError.Code": "the name of an error code",
    "AsperaAuth.AsperaNodeSigner": "one setting",
    "AsperaAuth.AsperaToken.Kind": "an enumeration without payload",
    "AsperaAuth.ContentProtection": "an enumeration without payload",
    "AsperaAuth.HTTPFallback": "an enumeration without payload",
    "AsperaAuth.HostKeyFingerprint": "the fingerprint of a public key",
    "AsperaAuth.JWTAlgorithm": "the name of an algorithm",
    "AsperaAuth.NodeBearerClaims": "names and a timestamp",
    "AsperaAuth.NodeScope": "an access key id and a role",
    "AsperaAuth.OverwritePolicy": "an enumeration without payload",
    "AsperaAuth.PrivateKeyReport": "the result of a check of a key",
    "AsperaAuth.PrivateKeyReport.Client": "an enumeration without payload",
    "AsperaAuth.PrivateKeyReport.Format": "an enumeration without payload",
    "AsperaAuth.PrivateKeyReport.Kind": "an enumeration of names and numbers",
    "AsperaAuth.PrivateKeyReport.Limit": "a client and a reason",
    "AsperaAuth.PrivateKeyReport.Passphrase": "the outcome of a check",
    "AsperaAuth.RatePolicy": "an enumeration without payload",
    "AsperaAuth.ResumePolicy": "an enumeration without payload",
    "AsperaAuth.SymbolicLinkPolicy": "an enumeration without payload",
    "AsperaAuth.TokenRequest.Reason": "an enumeration without payload",
    "AsperaAuth.TransferCipher": "an enumeration without payload",
    "AsperaAuth.TransferDirection": "an enumeration without payload",
    "AsperaAuth.TransferPath": "two paths",
    "StorageAuth.JSONError": "a position and the expected token",
    "StorageAuth.JSONNumber": "a number",
    "StorageAuth.JSONObject": "a document like any string; types that store one do not show it",
    "StorageAuth.JSONValue": "a document like any string; types that store one do not show it",
  ]

  /// Returns types that hold accounts, keys and tokens, built with secrets in every property that accepts one.
  static func aspera() throws -> [(String, Any)] {
    let pem = Secret("-----BEGIN RSA PRIVATE KEY-----\n\(secret)\n-----END RSA PRIVATE KEY-----\n")
    let loginKey = AsperaPrivateKey.pem(pem, passphrase: Secret(secret))
    let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: Secret(secret))
    let transfer = try AsperaToken(Secret("ATM2_\(mark)_2MTA"))
    let access = AsperaNodeAccess.bearer(Secret(token), accessKey: "ak")
    var spec = TransferSpec(.send, [TransferPath("/a")], destinationRoot: "/b")
    spec.fields["some_new_password"] = .string(secret)
    var options = AscpOptions()
    options.ignoredFields = ["some_new_password"]
    let grant = TransferCredential(token: transfer, specification: spec)
    let signed = try TransferSigner(account: account).signed(spec, with: grant, in: .at(date))
    let node = "https://node.example.com:9092"
    let dynamic = try DynamicKey(bits: 2_048)
    let bearerKey = try NodeBearerKey(pem: pemText(of: dynamic))
    let bearer = try NodeBearerToken(
      NodeBearerClaims(userID: "1", scope: NodeScope(accessKey: "ak"), expiration: date), signedWith: bearerKey)
    let signingKey = try JWTSigningKey(pem: pemText(of: dynamic))
    let oauth = JWTGrant.asperaOnCloud(
      organization: "acme", user: "mia@example.com", clientID: "id", clientSecret: Secret(secret))
    let grants = JWTGrantProvider(oauth, key: signingKey)
    var parser = ManagementFrameParser()
    let items = parser.feed(
      Array("FASPMGR 2\nType: START\nPassword: \(secret)\nToken: \(token)\n\n".utf8))
    let frame = items.lazy.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }.first
    return [
      ("AsperaAuth.AsperaAccount", account), ("AsperaAuth.AsperaAccount.Authentication", account.authentication),
      ("AsperaAuth.AsperaPrivateKey", loginKey), ("AsperaAuth.AsperaPrivateKey.Source", loginKey.source),
      ("AsperaAuth.DynamicKey", dynamic), ("AsperaAuth.AsperaToken", transfer),
      ("AsperaAuth.TransferCredential", grant),
      ("AsperaAuth.TransferSpec", signed), ("AsperaAuth.TransferSigner", TransferSigner(account: account)),
      ("AsperaAuth.AscpCommand", try AscpCommand(signed, options: options)),
      ("AsperaAuth.TokenRequest", TokenRequest(session: "s", specification: signed)),
      ("AsperaAuth.AsperaNodeAccess", access), ("AsperaAuth.AsperaNodeAccess.Method", access.method),
      ("AsperaAuth.NodeBearerKey", bearerKey), ("AsperaAuth.NodeBearerToken", bearer),
      ("AsperaAuth.BearerAccessProvider", BearerAccessProvider(accessKey: "ak", userID: "1", key: bearerKey)),
      ("AsperaAuth.JWTSigningKey", signingKey), ("AsperaAuth.JWTGrant", oauth), ("AsperaAuth.JWTGrantProvider", grants),
      ("AsperaAuth.NodeGrantProvider", NodeGrantProvider(grants, accessKey: "ak")),
      (
        "AsperaAuth.NodeAccessTokenIssuer", NodeAccessTokenIssuer(access: StaticCredentialProvider(access), fileID: "1")
      ),
      ("AsperaAuth.CloudKeyGrantProvider", CloudKeyGrantProvider(apiKey: Secret(secret))),
      ("AsperaAuth.OAuthBearer", OAuthBearer(Secret(token), scope: "user:all", expiration: date)),
      ("AsperaAuth.BearerTokenIssuer", BearerTokenIssuer(accessKey: "ak", userID: "1", fileID: "2", key: bearerKey)),
      ("AsperaAuth.FixedTokenIssuer", FixedTokenIssuer(transfer, specification: signed)),
      ("AsperaAuth.ClosureTokenIssuer", ClosureTokenIssuer(source: "an app") { _ in grant }),
      (
        "AsperaAuth.SetupTokenIssuer",
        SetupTokenIssuer(node: node, access: StaticCredentialProvider(access))
      ),
      ("AsperaAuth.AsperaCredentials", AsperaCredentials()),
      ("AsperaAuth.AsperaEnvironmentProvider", AsperaEnvironmentProvider()),
      ("AsperaAuth.FaspURI", try FaspURI("faspe://mia@host.example:33001/a?token=\(mark)")),
      ("AsperaAuth.ManagementFrameParser", parser),
      ("AsperaAuth.ManagementFrameParser.Item", items.first as Any? ?? parser),
      ("AsperaAuth.ManagementFrame", frame as Any? ?? parser),
      ("AsperaAuth.AsperaError", AsperaError(.failed, "It failed.", remedy: "Try again.")),
    ]
  }

  private static func pemText(of key: DynamicKey) -> Secret {
    guard case .pem(let text) = key.privateKey.source else { return Secret("") }
    return text
  }
}
