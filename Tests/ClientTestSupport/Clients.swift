// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import StorageAuth
package import StorageClient
import StorageCrypto
import XCTest

package let key = AccessKey(id: "LTAItest", secret: "not-a-secret")
package let temporaryKey = AccessKey(id: "STS.test", secret: "not-a-secret", sessionToken: "token+/=")
package let endpoint = "http://127.0.0.1:9"

extension StorageClientConfiguration {
  /// A configuration with small parts and no delays.
  package static let test = StorageClientConfiguration(
    multipartThreshold: 200_000, partSize: 100 * 1024, keysPerPage: 10, retryDelay: .zero)
}

/// Returns a client of OSS over a transport without a network.
package func ossClient(
  _ transport: any HTTPTransport, key: AccessKey = key, endpoint: String = endpoint,
  configuration: StorageClientConfiguration = .test
) -> StorageClient<OSSProvider> {
  SecretWatch.install()
  return StorageClient(
    .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: key, configuration: configuration,
    transport: transport)
}

/// Returns a client of COS over a transport without a network.
package func cosClient(_ transport: any HTTPTransport) -> StorageClient<COSProvider> {
  SecretWatch.install()
  return StorageClient(
    .cos(bucket: "photos-1250000000", region: "ap-guangzhou", endpoint: endpoint), credentials: key,
    configuration: .test, transport: transport)
}

/// Returns pseudo-random bytes.
package func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}

/// Returns the checksum that the services report.
package func crc(_ bytes: [UInt8]) -> ObjectChecksum {
  ObjectChecksum(.crc64, of: bytes)
}

/// Asserts that an operation throws an error of a type, and passes it to `check`.
package func assertThrows<Failure: Error>(
  _ type: Failure.Type, _ operation: () async throws -> Void, file: StaticString = #filePath, line: UInt = #line,
  _ check: (Failure) -> Void = { _ in }
) async {
  do {
    try await operation()
    XCTFail("no error was thrown", file: file, line: line)
  } catch let error as Failure {
    SecretWatch.check("\(error) \(String(reflecting: error))", file: file, line: line)
    check(error)
  } catch {
    XCTFail("\(error) was thrown", file: file, line: line)
  }
}

extension ObjectListing {
  /// The names of all entries.
  package var names: [String] {
    get async throws {
      var names: [String] = []
      for try await entry in self { names.append(entry.name) }
      return names
    }
  }
}
