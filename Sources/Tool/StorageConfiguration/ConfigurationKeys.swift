// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The keys of the settings from which this module creates its configurations.
public enum ConfigurationKeys {
  /// The keys of `StorageClientConfiguration`.
  public static let client: [ConfigurationKey] = [
    ConfigurationKey("requestsInFlight", .integer, default: "16", "concurrent requests, at least 1"),
    ConfigurationKey("partsInFlight", .integer, default: "4", "concurrent parts of one transfer, at least 1"),
    ConfigurationKey("multipartThreshold", .size, default: "16MiB", "size from which objects are transferred in parts"),
    ConfigurationKey("partSize", .size, default: "8MiB", "size of a part, at least 100KiB"),
    ConfigurationKey("keysPerPage", .integer, default: "1000", "entries of a page of a listing, from 1 to 1000"),
    ConfigurationKey("attempts", .integer, default: "3", "attempts for each request, from 1 to 100"),
    ConfigurationKey("retryDelay", .duration, default: "200ms", "delay before the second attempt, which doubles"),
    ConfigurationKey("longestRetryDelay", .duration, default: "20s", "limit of the delay before an attempt"),
  ]

  /// The keys of `CredentialCacheConfiguration`.
  public static let credentialCache: [ConfigurationKey] = [
    ConfigurationKey("timeout", .duration, default: "30s", "timeout of a request for a credential"),
    ConfigurationKey(
      "refreshMargin", .duration, default: "5m", "remaining lifetime at which a credential is refreshed"),
    ConfigurationKey("backoff", .duration, default: "1s", "pause after the first failure, which doubles"),
    ConfigurationKey("longestBackoff", .duration, default: "1m", "limit of the pause after failures"),
    ConfigurationKey("spreadsFirstRenewal", .boolean, default: "true", "whether the first refresh is at a random age"),
  ]

  /// The keys of `AccessKey`.
  public static let accessKey: [ConfigurationKey] = [
    ConfigurationKey(required: "id", .text, "ID of the access key"),
    ConfigurationKey(required: "secret", .secret, "secret of the access key, unless `secretFile` is set"),
    ConfigurationKey(optional: "secretFile", .text, "file that contains the secret"),
    ConfigurationKey(optional: "sessionToken", .secret, "session token of a temporary key"),
    ConfigurationKey(optional: "sessionTokenFile", .text, "file that contains the session token"),
  ]

  /// The keys of `OSSProvider`, `COSProvider` and `S3Provider`.
  public static let bucket: [ConfigurationKey] = [
    ConfigurationKey(required: "bucket", .text, "name of the bucket"),
    ConfigurationKey(required: "region", .text, "region of the bucket"),
    ConfigurationKey(optional: "endpoint", .text, "URL of the service, in place of the region's public one"),
  ]

  /// The keys of `HTTPTimeouts`.
  public static let timeouts: [ConfigurationKey] = [
    ConfigurationKey("connect", .duration, default: "10s", "limit for establishing a connection"),
    ConfigurationKey("idle", .duration, default: "60s", "limit for a connection without bytes"),
    ConfigurationKey(optional: "request", .duration, "limit from the start of a request to the head of its response"),
  ]

  /// The keys of `ProxyConfiguration`.
  public static let proxy: [ConfigurationKey] = [
    ConfigurationKey("usesEnvironment", .boolean, default: "false", "whether `HTTPS_PROXY` and so on count as well"),
    ConfigurationKey(optional: "http", .secret, "URL of the proxy for http"),
    ConfigurationKey(optional: "httpFile", .text, "file that contains this URL"),
    ConfigurationKey(optional: "https", .secret, "URL of the proxy for https"),
    ConfigurationKey(optional: "httpsFile", .text, "file that contains this URL"),
    ConfigurationKey(optional: "exclusions", .list, "hosts that are reached without a proxy"),
  ]

  /// The keys of `TrustedRoots`.
  public static let authorities: [ConfigurationKey] = [
    ConfigurationKey(optional: "file", .text, "PEM file of the trusted certificate authorities"),
    ConfigurationKey("includesSystem", .boolean, default: "false", "whether those of the system are trusted too"),
  ]

  /// The keys of `AsyncHTTPClientTransport`.
  public static let transport: [ConfigurationKey] =
    [ConfigurationKey("connectionsPerHost", .integer, default: "64", "connections to one host, from 1 to 10000")]
    + timeouts.map { $0.prefixed("timeouts") } + proxy.map { $0.prefixed("proxy") }
    + authorities.map { $0.prefixed("authorities") }

  /// The keys of `RateLimit`.
  public static let rate: [ConfigurationKey] = [
    ConfigurationKey("perMinute", .integer, default: "60", "requests of a caller in each minute"),
    ConfigurationKey(optional: "burst", .integer, "requests at once; with `interval`, in place of `perMinute`"),
    ConfigurationKey(optional: "interval", .duration, "time after which one more request is allowed"),
  ]

  /// The keys of `ConnectionLimits`.
  public static let connections: [ConfigurationKey] = [
    ConfigurationKey("connections", .integer, default: "500", "open connections, at least 1"),
    ConfigurationKey("headTimeout", .duration, default: "10s", "limit for receiving the head of a request"),
    ConfigurationKey(
      "bodyTimeout", .duration, default: "30s", "limit for waiting for a body, which received bytes extend"),
    ConfigurationKey("minimumBodyRate", .integer, default: "1024", "bytes per second at which a body must arrive"),
    ConfigurationKey("idleTimeout", .duration, default: "60s", "limit between two requests of a connection"),
    ConfigurationKey("writeTimeout", .duration, default: "60s", "limit for a response that the client does not read"),
  ]

  /// The keys of `LocalCloud.Configuration`.
  public static let localCloud: [ConfigurationKey] =
    [
      ConfigurationKey(required: "accounts", .secrets, "accounts, as `id:secret` or `id:secret:token`"),
      ConfigurationKey(optional: "accountsFile", .text, "file with an account on each line"),
      ConfigurationKey(optional: "buckets", .list, "buckets to create in every service"),
      ConfigurationKey("ossPort", .integer, default: "0", "port of OSS; 0 for any free port"),
      ConfigurationKey("cosPort", .integer, default: "0", "port of COS; 0 for any free port"),
      ConfigurationKey("s3Port", .integer, default: "0", "port of S3; 0 for any free port"),
      ConfigurationKey(optional: "root", .text, "directory for objects; a temporary one by default"),
      ConfigurationKey(optional: "region", .text, "region that OSS V4 signatures must contain"),
      ConfigurationKey("s3Region", .text, default: "us-east-1", "region of S3"),
      ConfigurationKey(
        "isStrict", .boolean, default: "false", "whether COS signatures must cover every header and parameter"),
      ConfigurationKey(optional: "allowedOrigins", .list, "origins of web pages that may use the services"),
    ] + connections.map { $0.prefixed("limits") }
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
    let unknownNames = names(in: object, below: "").filter { !knownNames.contains($0) }
    return unknownNames.map { ($0, similar(to: $0, in: knownNames)) }
  }

  private static func names(in object: JSONObject, below prefix: String) -> [String] {
    object.flatMap { name, value -> [String] in
      guard let inner = value.object, !inner.isEmpty else { return [prefix + name] }
      return names(in: inner, below: "\(prefix)\(name).")
    }
  }

  /// Returns the known name that needs the fewest edits, or `nil` if none is similar.
  package static func similar(to name: String, in knownNames: [String]) -> String? {
    // The comparison takes time in proportion to the product of the lengths.
    let characterLimit = 64
    let characters = Array(name.lowercased().prefix(characterLimit))
    // With as many edits as the name has letters, any name turns into any other; the hyphens of an option are equal.
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
      for (column, other) in second.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
