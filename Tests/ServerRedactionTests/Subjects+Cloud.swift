// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import LocalCloud
import StorageClient

extension Subjects {
  /// Types of LocalCloud whose instances hold no secret, with the reason.
  static let holdsNothingOfCloud: [String: String] = [
    "LocalCloud.LocalCloud.Callbacks": "a transport and names of hosts",
    "LocalCloud.LocalCloud.Endpoint": "an enumeration without payload",
    "LocalCloud.LocalCloud.EndpointStatistics": "numbers and codes",
    "LocalCloud.LocalCloud.Fault": "a fault, and its time",
    "LocalCloud.LocalCloud.Fault.Frequency": "numbers",
    "LocalCloud.LocalCloud.Fault.Phase": "an enumeration without payload",
    "LocalCloud.LocalCloud.Faults": "faults, and their times",
    "LocalCloud.LocalCloud.GrantRules": "names of algorithms, and durations",
    "LocalCloud.LocalCloud.OAuthUser": "names and public keys",
    "LocalCloud.LocalCloud.Provider": "an enumeration without payload",
    "LocalCloud.LocalCloud.RequestEvent.Authorization": "the name of a signature scheme",
    "LocalCloud.LocalCloud.RequestEvent.Outcome": "an enumeration without payload",
    "LocalCloud.LocalCloud.RequestEvent.Refusal": "a code and a message, in which values with secret names are masked",
    "LocalCloud.LocalCloud.Role": "a name, ids and a duration",
    "LocalCloud.LocalCloud.SignatureKind": "an enumeration without payload",
    "LocalCloud.LocalCloud.Statistics": "numbers and codes",
    "LocalCloud.LocalCloud.NodePermission": "the name of a user or group, rights, and a path",
    "LocalCloud.LocalCloud.NodePermission.AccessLevel": "the name of a right",
    "LocalCloud.LocalCloud.NodePermission.Grantee": "the name of a user or group",
    "LocalCloud.LocalCloud.TransferFault": "a fault, and its time",
    "LocalCloud.LocalCloud.TransferFault.Location": "a number",
    "LocalCloud.LocalCloud.TransferStatistics": "numbers",
    "LocalCloud.LocalCloudError": "a sentence about a configuration, without its secrets",
  ]

  /// Returns a server with keys, its configuration, and the credentials that it issued.
  static func cloud() async throws -> [(name: String, value: Any)] {
    let user = LocalCloud.NodeUser("mia", password: Secret(secret))
    let accessKey = LocalCloud.NodeAccessKey(id: "ak", secret: Secret(secret))
    let transfers = LocalCloud.TransferAccount("xfer", password: Secret(secret))
    let dynamic = try DynamicKey(bits: 2_048)
    guard case .pem(let pem) = dynamic.privateKey.source else { return [] }
    let oauthClient = LocalCloud.OAuthClient("client", secret: Secret(secret))
    let oauthUser = LocalCloud.OAuthUser("mia@example.com", publicKeys: [try JWTSigningKey(pem: pem).publicKeyPEM])
    let onCloud = LocalCloud.AsperaOnCloud(
      organization: "acme", clients: [oauthClient], users: [oauthUser], accessKey: "ak",
      nodeKey: try NodeBearerKey(pem: pem))
    let faspex = LocalCloud.Faspex(clients: [oauthClient], users: [oauthUser])
    let aspera = LocalCloud.Aspera(
      users: [user], accessKeys: [accessKey], transferAccounts: [transfers], onCloud: onCloud, faspex: faspex)
    let services = LocalCloud.Services(appToken: Secret(token), identityTokens: [Secret(token)])
    let owner = LocalCloud.Account(AccessKey(id: "owner", secret: secret))
    let configuration = LocalCloud.Configuration(
      accounts: [owner, LocalCloud.Account(lasting)], buckets: ["photos"], services: services, aspera: aspera)
    let cloud = try await LocalCloud.start(configuration)
    let provider = AppServerCredentialProvider(source: "app") {
      AppServerRequest(cloud.ossAppServer, headers: [.authorization: "Bearer \(token)"])
    }
    let issued = try await provider.credential()
    let session = try present(cloud.session(of: issued.id))
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: issued)
    try await client.upload([1, 2, 3], to: "a")
    let requests = cloud.requests()
    let other = AccessKey(id: "owner", secret: token, sessionToken: token)
    let stranger = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: other)
    _ = try? await stranger.head("a")
    await cloud.stop()
    var events: [(name: String, value: Any)] = []
    for await event in requests { events.append(("LocalCloud.LocalCloud.RequestEvent", event)) }
    return [
      ("LocalCloud.LocalCloud", cloud), ("LocalCloud.LocalCloud.Configuration", configuration),
      ("LocalCloud.LocalCloud.Account", owner), ("LocalCloud.LocalCloud.Services", services),
      ("LocalCloud.LocalCloud.Aspera", aspera), ("LocalCloud.LocalCloud.NodeUser", user),
      ("LocalCloud.LocalCloud.NodeAccessKey", accessKey), ("LocalCloud.LocalCloud.TransferAccount", transfers),
      ("LocalCloud.LocalCloud.Session", session), ("LocalCloud.LocalCloud.OAuthClient", oauthClient),
      ("LocalCloud.LocalCloud.AsperaOnCloud", onCloud), ("LocalCloud.LocalCloud.Faspex", faspex),
    ] + events
  }
}
