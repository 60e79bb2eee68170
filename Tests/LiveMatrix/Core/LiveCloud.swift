// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import LocalCloud
internal import StorageClient

/// A LocalCloud with everything that the matrix uses, and the environment that names it.
package struct LiveCloud: Sendable {
  private static let bucket = "live-1250000000"
  private static let user = "mia"

  /// The access key of the account that the services of the cloud know.
  package let key = AccessKey(id: "LTAIlive0001", secret: ServiceSteps.randomName())

  /// A temporary key that expired an hour ago.
  package let expiredKey: AccessKey

  /// The running server.
  package let server: LocalCloud

  private let password = ServiceSteps.randomName()

  /// Starts a LocalCloud.
  ///
  /// - Throws: The errors of `LocalCloud.start`.
  package init() async throws {
    expiredKey = AccessKey(
      id: "STS.live0002", secret: ServiceSteps.randomName(), sessionToken: ServiceSteps.randomName(),
      expiration: .now.advanced(by: .seconds(-3_600)))
    server = try await LocalCloud.start(
      .init(
        accounts: [.init(key), .init(expiredKey)], buckets: [Self.bucket],
        aspera: .init(transferAccounts: [
          .init("xfer", password: key.secret), .init(Self.user, password: Secret(password), requiresToken: false),
        ])))
  }

  /// Returns the variables that name the buckets, the node, the roles and the keys of the cloud.
  ///
  /// - Parameter ascp: The path of `ascp-simulator`, or `nil` to leave the variable out.
  package func environment(ascp: String?) -> [String: String] {
    var variables = ["STORAGE_AUTH_LIVE": "1"]
    let services: [(name: String, region: String, ServiceEndpoint, LocalCloud.Role)] = [
      ("OSS", "cn-hangzhou", server.ossEndpoint, .alibaba), ("COS", "ap-guangzhou", server.cosEndpoint, .tencent),
      ("S3", "us-east-1", server.s3Endpoint, .amazon),
    ]
    for (name, region, endpoint, role) in services {
      let expired = [expiredKey.id.string, expiredKey.secret.reveal(), expiredKey.sessionToken?.reveal() ?? ""]
      variables.merge([
        "\(name)_BUCKET": Self.bucket, "\(name)_REGION": region,
        "\(name)_ENDPOINT": "\(endpoint.scheme)://\(endpoint.authority)",
        "\(name)_ROLE_ARN": role.arn, "\(name)_STS_ENDPOINT": server.servicesURL,
        "\(name)_EXPIRED_KEY": expired.joined(separator: " "),
      ]) { $1 }
    }
    for (id, secret) in [
      ("OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"), ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY"),
      ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), ("ASPERA_ACCESS_KEY_ID", "ASPERA_ACCESS_KEY_SECRET"),
    ] {
      variables[id] = key.id.string
      variables[secret] = key.secret.reveal()
    }
    variables.merge([
      "ASPERA_NODE_URL": server.nodeURL, "ASPERA_HOST": "127.0.0.1", "ASPERA_PORT": "\(server.transferPort)",
      "ASPERA_USER": Self.user, "ASPERA_SCP_PASS": password,
    ]) { $1 }
    variables["STORAGE_AUTH_ASCP"] = ascp
    return variables
  }
}
