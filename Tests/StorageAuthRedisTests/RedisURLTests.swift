// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import StorageAuthRedis

/// URLs of Redis servers: what they name, and that no part of them reaches an error or a description.
final class RedisURLTests: XCTestCase {
  func testURLsNameHostsSocketsLoginsAndDatabases() throws {
    let plain = try RedisConfiguration(url: "redis://cache.example")
    XCTAssertEqual(plain.address, .host("cache.example", port: 6379))
    XCTAssertEqual([plain.usesTLS, plain.user == nil, plain.password == nil], [false, true, true])
    XCTAssertEqual(plain.database, 0)
    let full = try RedisConfiguration(url: "rediss://app:p%40ss%3A%2F@[::1]:7000/3")
    XCTAssertEqual(full.address, .host("::1", port: 7000))
    XCTAssertEqual([full.user, full.password?.reveal()], ["app", "p@ss:/"])
    XCTAssertTrue(full.usesTLS)
    XCTAssertEqual(full.database, 3)
    XCTAssertNil(full.certificateName)
    XCTAssertEqual(try RedisConfiguration(url: "unix:///run/redis.sock").address, .socket("/run/redis.sock"))
  }

  func testInvalidURLsAreRejectedWithoutTheirContent() {
    let urls: [(String, RedisURLError)] = [
      ("http://:hunter2@a", .scheme), ("redis:a", .scheme), ("redis://hunter2@a", .login), ("redis://:%zz@a", .login),
      ("redis://:hunter2@", .address), ("redis://a:0", .address), ("redis://[::1]x", .address), ("unix://a", .address),
      ("redis://a/b", .database), ("redis://a/-1", .database),
    ]
    for (url, expected) in urls {
      XCTAssertThrowsError(try RedisConfiguration(url: url), url) { error in
        XCTAssertEqual(error as? RedisURLError, expected, url)
        XCTAssertFalse("\(error)".contains("hunter2"))
      }
    }
  }

  func testPasswordsAreInNoDescription() throws {
    let configuration = try RedisConfiguration(url: "redis://app:hunter2@cache.example/1")
    var text = "\(configuration) \(String(reflecting: configuration))"
    dump(configuration, to: &text)
    dump(RedisPool(configuration), to: &text)
    XCTAssertFalse(text.contains("hunter2"), text)
    XCTAssertTrue(text.contains("cache.example:6379"))
  }
}
