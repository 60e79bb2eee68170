// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import Configuration
import Foundation
import LocalCloud
import StorageAuth
import StorageAuthServer
import StorageClient
import StorageConfiguration
import XCTest

/// Tests the readers of settings: every key, the forms of values, and errors that name the key.
@available(macOS 15, *)
final class ReadingTests: XCTestCase {
  private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
    ConfigReader(provider: InMemoryProvider(name: "the test", values: values))
  }

  /// Checks that reading fails with an error that names the key and the provider, and not the value.
  private func assertFails<Value>(
    _ key: String, _ words: String, _ values: [AbsoluteConfigKey: ConfigValue], line: UInt = #line,
    _ read: (ConfigReader) async throws(ConfigurationError) -> Value
  ) async {
    do {
      _ = try await read(reader(values))
      XCTFail("\(key) was accepted", line: line)
    } catch {
      XCTAssertEqual(error.key, key, line: line)
      XCTAssertTrue(error.description.contains(words), error.description, line: line)
      XCTAssertTrue(error.description.contains("the test"), error.description, line: line)
      XCTAssertFalse(error.description.contains("hunter2"), error.description, line: line)
    }
  }

  // matrix: Settings: values
  func testClientReadsEverySetting() async throws {
    let configuration = try await StorageClientConfiguration(
      reading: reader([
        "requestsInFlight": 32, "partsInFlight": 2, "multipartThreshold": "64MiB", "partSize": 1_048_576,
        "keysPerPage": 10, "attempts": 7, "retryDelay": "50ms", "longestRetryDelay": "2m",
      ]))
    XCTAssertEqual(
      configuration,
      StorageClientConfiguration(
        requestsInFlight: 32, partsInFlight: 2, multipartThreshold: 64 << 20, partSize: 1 << 20, keysPerPage: 10,
        attempts: 7, retryDelay: .milliseconds(50), longestRetryDelay: .seconds(120)))
    let standard = try await StorageClientConfiguration(reading: reader([:]))
    XCTAssertEqual(standard, StorageClientConfiguration())
    let cache = try await CredentialCacheConfiguration(
      reading: reader([
        "timeout": "3s", "refreshMargin": "1h", "backoff": "2s", "longestBackoff": "1d", "spreadsFirstRenewal": false,
      ]))
    XCTAssertEqual(
      cache,
      CredentialCacheConfiguration(
        timeout: .seconds(3), refreshMargin: .seconds(3600), backoff: .seconds(2), longestBackoff: .seconds(86_400),
        spreadsFirstRenewal: false))
    let oss = try await OSSProvider(
      reading: reader(["bucket": "photos", "region": "cn-hangzhou", "endpoint": "http://127.0.0.1:9000"]))
    XCTAssertEqual(try oss.endpoint.authority, "127.0.0.1:9000")
    let s3 = try await S3Provider(reading: reader(["bucket": "photos", "region": "eu-central-1"]))
    XCTAssertEqual(try s3.endpoint.scheme, "https")
    let cos = try await COSProvider(reading: reader(["bucket": "photos-1250000000", "region": "ap-guangzhou"]))
    XCTAssertEqual(cos.bucket, "photos-1250000000")
  }

  // matrix: Settings: values
  func testVariablesOfTheEnvironmentAreRead() async throws {
    let provider = EnvironmentVariablesProvider(environmentVariables: [
      "APP_REQUESTS_IN_FLIGHT": "8", "APP_PART_SIZE": "1MiB", "APP_RETRY_DELAY": "1s",
      "APP_EXCLUSIONS": "a.example,10.0.0.0/8", "APP_HTTPS": "http://proxy:1",
    ])
    let reader = ConfigReader(provider: provider).scoped(to: "app")
    let configuration = try await StorageClientConfiguration(reading: reader)
    XCTAssertEqual(configuration.requestsInFlight, 8)
    XCTAssertEqual(configuration.partSize, 1 << 20)
    XCTAssertEqual(configuration.retryDelay, .seconds(1))
    let proxies = try await ProxyConfiguration(reading: reader)
    XCTAssertEqual(proxies.server(for: "b.example", scheme: "https")?.host, "proxy")
    XCTAssertNil(proxies.server(for: "a.example", scheme: "https"))
    XCTAssertNil(proxies.server(for: "10.1.1.1", scheme: "https"))
  }

  // matrix: Settings: bad input
  func testValuesThatCannotBeUsedAreErrorsThatNameTheKey() async throws {
    let client = { (reader: ConfigReader) async throws(ConfigurationError) in
      try await StorageClientConfiguration(reading: reader)
    }
    await assertFails("attempts", "is not an integer", ["attempts": "hunter2"], client)
    await assertFails("attempts", "from 1 to 100", ["attempts": 0], client)
    await assertFails("keysPerPage", "from 1 to 1000", ["keysPerPage": 1001], client)
    await assertFails("requestsInFlight", "at least 1", ["requestsInFlight": 0], client)
    for text in ["30", "s", "-1s", "1 week", "99999999999999999999s", "9223372036854775807d", "1.5s", "٣s", "hunter2"] {
      await assertFails("retryDelay", "is no duration", ["retryDelay": .init(.string(text), isSecret: false)], client)
    }
    await assertFails("retryDelay", "is not a string", ["retryDelay": 30], client)
    for text in ["8MB/s", "MiB", "9223372036854775807GiB", "99KiB", "-8MiB"] {
      await assertFails("partSize", "is no size", ["partSize": .init(.string(text), isSecret: false)], client)
    }
    await assertFails("partSize", "at least 102400", ["partSize": 1], client)
    await assertFails("https", "over TLS", ["https": "https://mia:hunter2@proxy"]) {
      reader throws(ConfigurationError) in
      try await ProxyConfiguration(reading: reader)
    }
    await assertFails("exclusions", "has the entry", ["exclusions": .init(.stringArray(["a/b"]), isSecret: false)]) {
      reader throws(ConfigurationError) in try await ProxyConfiguration(reading: reader)
    }
    await assertFails("authorities.file", "/nowhere/ca.pem", ["authorities.file": "/nowhere/ca.pem"]) {
      reader throws(ConfigurationError) in try await AsyncHTTPClientTransport(reading: reader)
    }
    await assertFails("region", "is missing", ["bucket": "photos"]) { reader throws(ConfigurationError) in
      try await OSSProvider(reading: reader)
    }
    await assertFails("endpoint", "is no endpoint", ["bucket": "b", "region": "r", "endpoint": "http://u:hunter2@h"]) {
      reader throws(ConfigurationError) in try await S3Provider(reading: reader)
    }
    for values in [["perMinute": 1, "burst": 1], ["burst": 1]] as [[AbsoluteConfigKey: ConfigValue]] {
      do {
        _ = try await RateLimit(reading: reader(values))
        XCTFail("\(values) was accepted")
      } catch {}
    }
  }

  func testHostileTextOfAProviderIsEscaped() {
    let error = ConfigurationError(
      key: "attempts", reader: "file\u{1B}[2J", "The setting\nis \u{202E}wrong.", remedy: "Use\r3.")
    XCTAssertEqual(error.description, #"The setting\nis \u{202E}wrong. Use\r3. (file\u{1B}[2J)"#)
  }

  // matrix: Settings: secrets
  func testSecretsComeFromFilesThatOthersCannotWrite() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("secret").path
    func write(_ text: String, permissions: Int = 0o600) throws {
      try Data(text.utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
    }
    let path = ConfigValue(.string(file), isSecret: false)
    let read = { (reader: ConfigReader) async throws(ConfigurationError) in try await AccessKey(reading: reader) }
    try write("hunter2\n")
    let key = try await read(reader(["id": "AKID", "secretFile": path]))
    XCTAssertEqual(key.secret.reveal(), "hunter2")
    XCTAssertNil(key.sessionToken)
    await assertFails("secret", "both set", ["id": "AKID", "secret": "hunter2", "secretFile": path], read)
    await assertFails("secret", "is missing", ["id": "AKID"], read)
    await assertFails("secretFile", "cannot be read", ["id": "AKID", "secretFile": "/nowhere/file"], read)
    try write("hunter2", permissions: 0o666)
    await assertFails("secretFile", "could have written", ["id": "AKID", "secretFile": path], read)
    try write("\n")
    await assertFails("secretFile", "an empty file", ["id": "AKID", "secretFile": path], read)
    try write("# accounts\nAKID:hunter2\nOTHER:hunter2:token\n")
    let cloud = try await LocalCloud.Configuration(
      reading: reader(["accountsFile": path, "ossPort": 9000, "limits.connections": 7, "isStrict": true]))
    XCTAssertEqual(cloud.accounts.map(\.key.id.string), ["AKID", "OTHER"])
    XCTAssertEqual(cloud.accounts.last?.key.sessionToken?.reveal(), "token")
    XCTAssertEqual(cloud.limits.connections, 7)
    XCTAssertTrue(cloud.isStrict)
    try write("hunter2\n")
    await assertFails("accounts", "number 1", ["accountsFile": path]) { reader throws(ConfigurationError) in
      try await LocalCloud.Configuration(reading: reader)
    }
  }

  /// Records the keys that readers ask for, and which of them are secret.
  private final class Recorder: AccessReporter {
    let keys = Lock<Set<String>>([])

    func report(_ event: AccessEvent) {
      keys.withLock { _ = $0.insert(event.metadata.key.description) }
    }
  }

  // matrix: Settings: table
  func testReadersAskForTheKeysOfTheTableAndNoOthers() async throws {
    func asked(
      _ values: [AbsoluteConfigKey: ConfigValue] = [:], _ read: (ConfigReader) async throws -> Void
    ) async throws -> Set<String> {
      let recorder = Recorder()
      try await read(ConfigReader(provider: InMemoryProvider(values: values), accessReporter: recorder))
      return recorder.keys.withLock { $0 }
    }
    func names(_ keys: [ConfigurationKey]) -> Set<String> { Set(keys.map(\.name)) }
    let client = try await asked { _ = try await StorageClientConfiguration(reading: $0) }
    XCTAssertEqual(client, names(ConfigurationKeys.client))
    let cache = try await asked { _ = try await CredentialCacheConfiguration(reading: $0) }
    XCTAssertEqual(cache, names(ConfigurationKeys.credentialCache))
    let key = try await asked(["id": "a", "secret": "b"]) { _ = try await AccessKey(reading: $0) }
    XCTAssertEqual(key, names(ConfigurationKeys.accessKey))
    let bucket = try await asked(["bucket": "abc", "region": "b"]) { _ = try await OSSProvider(reading: $0) }
    XCTAssertEqual(bucket, names(ConfigurationKeys.bucket))
    let transport = try await asked { _ = try await AsyncHTTPClientTransport(reading: $0) }
    XCTAssertEqual(transport, names(ConfigurationKeys.transport))
    let rate = try await asked { _ = try await RateLimit(reading: $0) }
    XCTAssertEqual(rate, names(ConfigurationKeys.rate))
    let limits = try await asked { _ = try await ConnectionLimits(reading: $0) }
    XCTAssertEqual(limits, names(ConfigurationKeys.connections))
    let accounts = ConfigValue(.stringArray(["a:b"]), isSecret: true)
    let cloud = try await asked(["accounts": accounts]) { _ = try await LocalCloud.Configuration(reading: $0) }
    XCTAssertEqual(cloud, names(ConfigurationKeys.localCloud))
  }

  // matrix: Settings: unknown keys
  func testUnknownKeysOfADocumentAreFoundWithTheNearestName() throws {
    let document = try JSONValue(
      parsing: Array(#"{"attempts": 1, "atempts": 2, "timeouts": {"conect": "1s"}, "zzz": {}, "attempts.x": 1}"#.utf8))
    let keys = ConfigurationKeys.client + ConfigurationKeys.transport
    let unknown = ConfigurationKeys.unknown(in: try XCTUnwrap(document.object), besides: keys)
    XCTAssertEqual(unknown.map(\.name), ["atempts", "timeouts.conect", "zzz", "attempts.x"])
    XCTAssertEqual(unknown.map(\.similar), ["attempts", "timeouts.connect", nil, "attempts"])
  }

  func testShortNamesAreNotSimilarToAllShortNames() {
    let known = ["id", "secret", "--to"]
    XCTAssertEqual(
      ["x", "up", "", "ix", "d", "idd", "secrt", "--up", "--t", "--too"].map {
        ConfigurationKeys.similar(to: $0, in: known)
      },
      [nil, nil, nil, "id", nil, "id", "secret", nil, nil, "--to"])
  }

  // matrix: Settings: table
  func testPageListsEveryKey() throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources/Tool/StorageConfiguration/StorageConfiguration.docc/StorageConfiguration.md"),
      encoding: .utf8)
    for keys in [
      ConfigurationKeys.client, ConfigurationKeys.credentialCache, ConfigurationKeys.accessKey,
      ConfigurationKeys.bucket, ConfigurationKeys.transport, ConfigurationKeys.rate, ConfigurationKeys.connections,
      ConfigurationKeys.localCloud,
    ] {
      let table = keys.map { "| `\($0.name)` | \($0.form.rawValue) | \($0.defaultValue) | \($0.summary) |" }
      XCTAssertTrue(page.contains(table.joined(separator: "\n")), "The page lacks:\n\(table.joined(separator: "\n"))")
    }
  }
}
