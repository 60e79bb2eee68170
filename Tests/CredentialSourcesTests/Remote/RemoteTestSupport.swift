// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

extension RemoteService {
  /// A provider that receives another last response.
  func answering(
    _ reply: HTTPStreamingResponse, by time: any SigningClock = ManualClock(now: RemoteService.now)
  ) -> any CredentialProvider<AccessKey> {
    provider(ScriptedTransport(before.map { .text($0) } + Array(repeating: reply, count: tries)), time)
  }

  /// A provider whose last request fails with a transport error.
  func failing(
    _ error: TransportError, by time: any SigningClock = ManualClock(now: RemoteService.now)
  ) -> any CredentialProvider<AccessKey> {
    let before = before
    let count = Tick()
    let transport = ScriptedTransport { _ throws(TransportError) in
      let index = count.next()
      if index < before.count { return .text(before[index]) }
      throw error
    }
    return provider(transport, time)
  }

  /// The valid response with another value at a path, or without the value if it is `nil`.
  func answer(with value: Any?, at path: [String]) throws -> String {
    let root = try XCTUnwrap(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
    let changed = Self.replacing(path[...], in: root, with: value)
    return String(decoding: try JSONSerialization.data(withJSONObject: changed), as: UTF8.self)
  }

  private static func replacing(_ path: ArraySlice<String>, in object: [String: Any], with value: Any?) -> [String: Any]
  {
    var object = object
    guard let name = path.first else { return object }
    if path.count == 1 {
      object[name] = value
    } else if let nested = object[name] as? [String: Any] {
      object[name] = replacing(path.dropFirst(), in: nested, with: value)
    }
    return object
  }
}

/// Returns the error of a provider, and asserts that it names its source and a remedy and contains no secret of the
/// tests.
func failure(
  of provider: any CredentialProvider<AccessKey>, _ note: String = "", secrets: [String] = RemoteService.allSecrets,
  file: StaticString = #filePath, line: UInt = #line
) async -> CredentialError? {
  do {
    let key = try await provider.credential()
    XCTFail("\(note): a key was issued with the id \(key.id)", file: file, line: line)
    return nil
  } catch {
    XCTAssertEqual(error.source, provider.source, note, file: file, line: line)
    XCTAssertFalse(error.message.isEmpty || error.remedy.isEmpty, note, file: file, line: line)
    XCTAssertLessThan(error.message.count, 400, note, file: file, line: line)
    let encoded = secrets.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
    let shown = DisplayedTexts(of: error).containing(secrets + encoded)
    XCTAssertEqual(shown, [], note, file: file, line: line)
    return error
  }
}

/// Counts calls.
final class Tick: Sendable {
  private let count = Lock(0)

  /// Returns the number of previous calls.
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
