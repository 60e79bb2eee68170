// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import StorageAuth
import StorageAuthServer
import XCTest

@testable import StorageAuthRedis

/// Connections to a Redis server: replies, passwords, TLS and limits.
final class RedisConnectionTests: XCTestCase {
  private let limit = RateLimit(burst: 10, every: .seconds(60))

  func testRepliesAreDecodedWhereverTheyAreCut() throws {
    let bytes = [UInt8]("+OK\r\n-ERR bad\r\n:-12\r\n$5\r\na\r\nbc\r\n$-1\r\n*3\r\n:1\r\n$0\r\n\r\n*0\r\n*-1\r\n".utf8)
    let values: [RedisValue] = [
      .status("OK"), .error("ERR bad"), .integer(-12), .bytes([UInt8]("a\r\nbc".utf8)), .null,
      .array([.integer(1), .bytes([]), .array([])]), .null,
    ]
    for cut in 1...bytes.count {
      let decoder = RedisDecoder()
      var buffer = ByteBuffer()
      var decoded: [RedisValue] = []
      for part in [bytes[..<cut], bytes[cut...]] {
        buffer.writeBytes(part)
        while let value = try decoder.decode(buffer: &buffer) { decoded.append(value) }
      }
      XCTAssertEqual(decoded, values, "cut at \(cut)")
    }
  }

  func testBytesThatAreNoReplyAreRejected() {
    for text in [
      "OK\r\n", "\r\n", ":x\r\n", "$3\r\nabcde", "$99999999999\r\n", "*99999\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
      "+OK\rx",
    ] {
      let decoder = RedisDecoder()
      var buffer = ByteBuffer(string: text)
      XCTAssertThrowsError(try decoder.decode(buffer: &buffer), text)
    }
  }

  func testPasswordIsSentAndNeverShown() async throws {
    let server = try RedisServer("--requirepass", "hunter2")
    let right = RedisRateStore(try server.pool { $0.password = Secret("hunter2") }, durability: .persistent)
    let allowed = try await right.take("mia", limit: limit, at: .zero)
    XCTAssertNil(allowed)
    for password in [nil, "hunter3"] {
      let wrong = RedisRateStore(try server.pool { $0.password = password.map { Secret($0) } }, durability: .persistent)
      do {
        _ = try await wrong.take("mia", limit: limit, at: .zero)
        XCTFail("a wrong password was accepted")
      } catch {
        XCTAssertTrue(error.message.contains(password == nil ? "NOAUTH" : "WRONGPASS"), error.message)
        XCTAssertFalse("\(error)".contains("hunter"))
      }
    }
  }

  func testTLSIsVerified() async throws {
    let name = "redis-tls-\(UInt32.random(in: .min ... .max))"
    let folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.currentDirectoryURL = folder
    openssl.standardError = FileHandle.nullDevice
    openssl.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
      "key",
      "-out", "certificate", "-days", "2", "-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1",
    ]
    try openssl.run()
    openssl.waitUntilExit()
    let port = try Self.freePort()
    let path = { (name: String) in folder.appending(path: name).path(percentEncoded: false) }
    let server = try RedisServer(
      folder, url: "rediss://127.0.0.1:\(port)",
      [
        "--port", "0", "--bind", "127.0.0.1", "--tls-port", "\(port)", "--tls-cert-file", path("certificate"),
        "--tls-key-file", path("key"), "--tls-ca-cert-file", path("certificate"), "--tls-auth-clients", "no",
      ])
    let trusting = RedisRateStore(try server.pool { $0.authorities = path("certificate") }, durability: .persistent)
    let allowed = try await trusting.take("mia", limit: limit, at: .zero)
    XCTAssertNil(allowed)
    let distrusting = RedisRateStore(try server.pool(), durability: .persistent)
    do {
      _ = try await distrusting.take("mia", limit: limit, at: .zero)
      XCTFail("a certificate of an unknown authority was accepted")
    } catch {
      XCTAssertTrue(error.message.hasPrefix("Redis at 127.0.0.1:"), error.message)
    }
  }

  func testUnusableAuthoritiesAreNamed() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UInt32.random(in: .min ... .max))")
    try Data("no certificate".utf8).write(to: file)
    addTeardownBlock { try FileManager.default.removeItem(at: file) }
    let path = file.path(percentEncoded: false)
    for (url, authorities, words) in [
      ("rediss://127.0.0.1:1", path, "the certificate authorities in \(path) cannot be read."),
      ("rediss://127.0.0.1:1", "/nowhere/ca.pem", "the certificate authorities in /nowhere/ca.pem cannot be read."),
      ("redis://127.0.0.1:1", path, "the certificate authorities have no effect without TLS."),
    ] {
      var configuration = try RedisConfiguration(url: url)
      configuration.authorities = authorities
      do {
        _ = try await RedisRateStore(RedisPool(configuration)).take("mia", limit: limit, at: .zero)
        XCTFail("\(authorities) was used with \(url)")
      } catch {
        XCTAssertTrue(error.message.hasSuffix(words), error.message)
        XCTAssertTrue(error.remedy.contains("rediss://"), error.remedy)
      }
    }
  }

  func testFallbackDoesNotHideUnusableAuthorities() async throws {
    var configuration = try RedisConfiguration(url: "redis://127.0.0.1:1")
    configuration.authorities = "/nowhere/ca.pem"
    let pool = RedisPool(configuration)
    do {
      _ = try await RedisRateStore(pool, whenAway: .local).take("mia", limit: limit, at: .zero)
      XCTFail("the instance counts its requests alone")
    } catch { XCTAssertTrue(error.message.contains("authorities"), error.message) }
    do {
      _ = try await RedisReplayStore(pool, whenAway: .local).insert(
        "a", of: "key", from: nil, until: .now.advanced(by: .seconds(60)), at: .now)
      XCTFail("the instance stores its marks alone")
    } catch { XCTAssertTrue(error.message.contains("authorities"), error.message) }
    let scope = TokenScope("mia", AccessPolicy([AccessRule(.write, objects: .prefix("mia/"), in: "photos")]))
    do {
      _ = try await RedisKeyStore(pool, whenAway: .local).key(for: scope) { () throws(CredentialError) in
        IssuedCredential(AccessKey(id: "id", secret: "secret"))
      }
      XCTFail("the instance issues its keys alone")
    } catch { XCTAssertTrue(error.message.contains("authorities"), error.message) }
  }

  func testPoolThatIsShutDownFailsAtOnce() async throws {
    let server = try RedisServer()
    let pool = try server.pool()
    let store = RedisRateStore(pool)
    _ = try await store.take("mia", limit: limit, at: .zero)
    pool.shutdown()
    do {
      _ = try await store.take("mia", limit: limit, at: .zero)
      XCTFail("a pool that was shut down answered")
    } catch {
      XCTAssertTrue(error.message.contains("shut down"), error.message)
    }
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    XCTAssertTrue(isBound)
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
