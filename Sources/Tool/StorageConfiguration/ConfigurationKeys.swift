// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The keys of the settings from which this module creates its configurations.
public enum ConfigurationKeys {
  /// The keys of `StorageClientConfiguration`.
  public static let client: [ConfigurationKey] = [
    .init("requestsInFlight", .integer, default: "16", "concurrent requests, at least 1"),
    .init("partsInFlight", .integer, default: "4", "concurrent parts of one transfer, at least 1"),
    .init("multipartThreshold", .size, default: "16MiB", "size from which objects are transferred in parts"),
    .init("partSize", .size, default: "8MiB", "size of a part, at least 100KiB"),
    .init("keysPerPage", .integer, default: "1000", "entries of a page of a listing, from 1 to 1000"),
    .init("attempts", .integer, default: "3", "attempts for each request, from 1 to 100"),
    .init("retryDelay", .duration, default: "200ms", "delay before the second attempt, which doubles"),
    .init("longestRetryDelay", .duration, default: "20s", "limit of the delay before an attempt"),
  ]

  /// The keys of `CredentialCacheConfiguration`.
  public static let credentialCache: [ConfigurationKey] = [
    .init("timeout", .duration, default: "30s", "timeout of a request for a credential"),
    .init("refreshMargin", .duration, default: "5m", "remaining lifetime at which a credential is refreshed"),
    .init("backoff", .duration, default: "1s", "pause after the first failure, which doubles"),
    .init("longestBackoff", .duration, default: "1m", "limit of the pause after failures"),
    .init("spreadsFirstRenewal", .boolean, default: "true", "whether the first refresh is at a random age"),
  ]

  /// The keys of `AccessKey`.
  public static let accessKey: [ConfigurationKey] = [
    .init(required: "id", .text, "ID of the access key"),
    .init(required: "secret", .secret, "secret of the access key, unless `secretFile` is set"),
    .init(optional: "secretFile", .text, "file that contains the secret"),
    .init(optional: "sessionToken", .secret, "session token of a temporary key"),
    .init(optional: "sessionTokenFile", .text, "file that contains the session token"),
  ]

  /// The keys of `OSSProvider`, `COSProvider` and `S3Provider`.
  public static let bucket: [ConfigurationKey] = [
    .init(required: "bucket", .text, "name of the bucket"),
    .init(required: "region", .text, "region of the bucket"),
    .init(optional: "endpoint", .text, "URL of the service, in place of the region's public one"),
  ]

  /// The keys of `HTTPTimeouts`.
  public static let timeouts: [ConfigurationKey] = [
    .init("connect", .duration, default: "10s", "limit for establishing a connection"),
    .init("idle", .duration, default: "60s", "limit for a connection without bytes"),
    .init(optional: "request", .duration, "limit from the start of a request to the head of its response"),
  ]

  /// The keys of `ProxyConfiguration`.
  public static let proxy: [ConfigurationKey] = [
    .init("usesEnvironment", .boolean, default: "false", "whether `HTTPS_PROXY` and so on count as well"),
    .init(optional: "http", .secret, "URL of the proxy for http"),
    .init(optional: "httpFile", .text, "file that contains this URL"),
    .init(optional: "https", .secret, "URL of the proxy for https"),
    .init(optional: "httpsFile", .text, "file that contains this URL"),
    .init(optional: "exclusions", .list, "hosts that are reached without a proxy"),
  ]

  /// The keys of `TrustedRoots`.
  public static let authorities: [ConfigurationKey] = [
    .init(optional: "file", .text, "PEM file of the trusted certificate authorities"),
    .init("includesSystem", .boolean, default: "false", "whether those of the system are trusted too"),
  ]

  /// The keys of `AsyncHTTPClientTransport`.
  public static let transport: [ConfigurationKey] =
    [.init("connectionsPerHost", .integer, default: "64", "connections to one host, from 1 to 10000")]
    + timeouts.map { $0.scoped(to: "timeouts") } + proxy.map { $0.scoped(to: "proxy") }
    + authorities.map { $0.scoped(to: "authorities") }

  /// The keys of `RateLimit`.
  public static let rate: [ConfigurationKey] = [
    .init("perMinute", .integer, default: "60", "requests of a caller in each minute"),
    .init(optional: "burst", .integer, "requests at once; with `interval`, in place of `perMinute`"),
    .init(optional: "interval", .duration, "time after which one more request is allowed"),
  ]

  /// The keys of `ConnectionLimits`.
  public static let connections: [ConfigurationKey] = [
    .init("connections", .integer, default: "500", "open connections, at least 1"),
    .init("headTimeout", .duration, default: "10s", "limit for receiving the head of a request"),
    .init("bodyTimeout", .duration, default: "30s", "limit for waiting for a body, which received bytes extend"),
    .init("minimumBodyRate", .integer, default: "1024", "bytes per second at which a body must arrive"),
    .init("idleTimeout", .duration, default: "60s", "limit between two requests of a connection"),
    .init("writeTimeout", .duration, default: "60s", "limit for a response that the client does not read"),
  ]

  /// The keys of `LocalCloud.Configuration`.
  public static let localCloud: [ConfigurationKey] =
    [
      .init(required: "accounts", .secrets, "accounts, as `id:secret` or `id:secret:token`"),
      .init(optional: "accountsFile", .text, "file with an account on each line"),
      .init(optional: "buckets", .list, "buckets to create in every service"),
      .init("ossPort", .integer, default: "0", "port of OSS; 0 for any free port"),
      .init("cosPort", .integer, default: "0", "port of COS; 0 for any free port"),
      .init("s3Port", .integer, default: "0", "port of S3; 0 for any free port"),
      .init(optional: "root", .text, "directory for objects; a temporary one by default"),
      .init(optional: "region", .text, "region that OSS V4 signatures must contain"),
      .init("s3Region", .text, default: "us-east-1", "region of S3"),
      .init("isStrict", .boolean, default: "false", "whether COS signatures must cover every header and parameter"),
      .init(optional: "allowedOrigins", .list, "origins of web pages that may use the services"),
    ] + connections.map { $0.scoped(to: "limits") }
}

// MARK: Misspelled keys

extension ConfigurationKeys {
  /// Returns the members of a JSON object that are not settings, with dots between the parts of a name.
  ///
  /// A misspelled key would otherwise have no effect, because a reader asks only for the keys that it knows:
  ///
  /// ```swift
  /// let unknown = ConfigurationKeys.unknown(in: document["client"]?.object ?? [:], besides: ConfigurationKeys.client)
  /// ```
  ///
  /// - Parameters:
  ///   - object: The object that the file contains for the scope of the reader.
  ///   - keys: The keys that the reader knows.
  /// - Returns: The names of the unknown members, each with the most similar known name, or `nil` if there is none.
  public static func unknown(
    in object: JSONObject, besides keys: [ConfigurationKey]
  ) -> [(name: String, similar: String?)] {
    let knownNames = keys.map(\.name)
    let unknownNames = names(in: object, prefix: "").filter { !knownNames.contains($0) }
    return unknownNames.map { ($0, similar(to: $0, in: knownNames)) }
  }

  /// Returns the names of all members that contain no further members, after a prefix for the scope of the object.
  private static func names(in object: JSONObject, prefix: String) -> [String] {
    object.flatMap { name, value -> [String] in
      guard let scope = value.object, !scope.isEmpty else { return [prefix + name] }
      return names(in: scope, prefix: "\(prefix)\(name).")
    }
  }

  /// Returns the known name that needs the fewest edits, or `nil` if none is similar.
  package static func similar(to name: String, in knownNames: [String]) -> String? {
    // The comparison takes time in proportion to the product of the lengths.
    let characterLimit = 64
    let characters = Array(name.lowercased().prefix(characterLimit))
    // With as many edits as the name has letters, any name turns into any other. The hyphens of an option do not count.
    let letterCount = characters.drop { $0 == "-" }.count
    let editLimit = min(max(2, characters.count / 3), letterCount - 1)
    let candidates = knownNames.map { knownName in
      (name: knownName, edits: editCount(characters, Array(knownName.lowercased().prefix(characterLimit))))
    }
    guard let best = candidates.min(by: { $0.edits < $1.edits }), best.edits <= editLimit else { return nil }
    return best.name
  }

  /// Returns the number of insertions, deletions and replacements that turn one name into another.
  private static func editCount(_ first: [Character], _ second: [Character]) -> Int {
    // One row of the matrix of Levenshtein distances at a time.
    var row = Array(0...second.count)
    for (rowIndex, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = rowIndex + 1
      for (column, secondCharacter) in second.enumerated() {
        let replaced = diagonal + (character == secondCharacter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
