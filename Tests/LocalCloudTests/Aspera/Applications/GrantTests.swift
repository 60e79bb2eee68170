// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests JWT grants at the token endpoints of the simulated Aspera on Cloud and Faspex 5.
final class GrantTests: GrantTestCase {
  private let applications = [GrantedApplication.onCloud, .faspex]

  private func refuses(
    _ cloud: LocalCloud, _ application: GrantedApplication, _ assertion: String, _ says: String?,
    file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let reply = try await request(cloud, application, assertion)
    XCTAssertTrue((400..<500).contains(reply.status), "\(application.name): \(reply.text)", file: file, line: line)
    if let says {
      XCTAssertTrue(
        reply.text.contains(says), "\(application.name): no “\(says)” in \(reply.text)", file: file, line: line)
    }
    XCTAssertFalse(reply.text.contains("access_token"), file: file, line: line)
  }

  func testAssertionWithEveryClaimIsAccepted() async throws {
    try await withApplications { cloud in
      for application in applications {
        var claims = claims(application)
        let reply = try await request(cloud, application, assertion(claims))
        XCTAssertEqual(reply.status, application.name == "Faspex" ? 201 : 200, reply.text)
        XCTAssertEqual(try reply.value["token_type"]?.string?.lowercased(), "bearer")
        claims["aud"] = ["https://other.example.com", .string(application.audience)]
        claims["jti"] = "a list of audiences"
        let listed = try await request(cloud, application, assertion(claims))
        XCTAssertNotNil(try listed.value["access_token"], listed.text)
      }
      XCTAssertEqual(cloud.statistics[.asperaOnCloud].issued, 2)
      XCTAssertEqual(cloud.statistics[.faspex].issued, 2)
    }
  }

  func testEachWrongClaimIsRefused() async throws {
    try await withApplications { cloud in
      let now = Int(clock.now.unixSeconds)
      func seconds(_ offset: Int) -> JSONValue { .number(JSONNumber(now + offset)) }
      for application in applications {
        let wrong: [(String, JSONValue, String?)] = [
          ("iss", "client-2", "iss of the assertion is wrong"), ("sub", "eve@example.com", nil),
          ("aud", "https://other.example.com", "aud of the assertion is wrong"), ("aud", [], "aud"),
          ("exp", seconds(0), "expired"), ("exp", seconds(-1), "expired"), ("exp", seconds(90_000), "too long"),
          ("exp", .number(JSONNumber(1 << 60)), "too long"), ("exp", "soon", "no exp"),
          ("nbf", seconds(1), "nbf"), ("iat", seconds(1), "iat"), ("iat", .number(JSONNumber(-1 << 60)), "too long"),
          ("jti", .string(String(repeating: "a", count: 256)), "jti"), ("jti", 7, "no jti"),
        ]
        for (name, value, says) in wrong {
          var claims = claims(application)
          claims[name] = value
          try await refuses(cloud, application, assertion(claims), says)
        }
        for name in claims(application).names {
          var claims = claims(application)
          claims[name] = nil
          try await refuses(cloud, application, assertion(claims), "no \(name)")
        }
      }
    }
  }

  func testWrongSignatureIsRefused() async throws {
    try await withApplications { cloud in
      for application in applications {
        let claims = claims(application)
        try await refuses(cloud, application, assertion(claims, Self.otherKey.get()), nil)
        try await refuses(cloud, application, assertion(claims, nil, .rs512), "algorithm")
        try await refuses(cloud, application, assertion(claims, Self.ellipticKey.get(), .es256), "algorithm")
        let parts = try assertion(claims).split(separator: ".").map(String.init)
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"typ":"JWT"}"#] {
          try await refuses(
            cloud, application, "\(Array(header.utf8).base64URL).\(parts[1]).\(parts[2])", "algorithm")
        }
        try await refuses(cloud, application, "\(parts[0]).\(parts[1]).", nil)
        try await refuses(cloud, application, "\(parts[0]).\(parts[1])", "not a JSON Web Token")
        let accepted = try await request(cloud, application, assertion(claims))
        XCTAssertNotNil(try accepted.value["access_token"], "no refusal uses the jti up: \(accepted.text)")
      }
    }
  }

  func testOnlyConfiguredAlgorithmsAndKeysOfTheUserAreAccepted() async throws {
    try await withApplications(.init(algorithms: [.es256, .ps384])) { cloud in
      for application in applications {
        var claims = claims(application)
        try await refuses(cloud, application, assertion(claims, Self.ellipticKey.get(), .es256), nil)
        try await refuses(cloud, application, assertion(claims), "algorithm")
        let salted = try await request(cloud, application, assertion(claims, nil, .ps384))
        XCTAssertNotNil(try salted.value["access_token"], salted.text)
        claims["sub"] = .string(application.subject.replacing("mia", with: "noa"))
        claims["jti"] = "noa"
        let elliptic = try await request(cloud, application, assertion(claims, Self.ellipticKey.get(), .es256))
        XCTAssertNotNil(try elliptic.value["access_token"], elliptic.text)
      }
    }
  }

  func testAssertionIsAcceptedOnce() async throws {
    try await withApplications { cloud in
      for application in applications {
        let assertion = try assertion(claims(application))
        let first = try await request(cloud, application, assertion)
        XCTAssertNotNil(try first.value["access_token"], first.text)
        try await refuses(cloud, application, assertion, "used before")
      }
    }
  }

  func testClientIsAuthenticated() async throws {
    try await withApplications { cloud in
      for application in applications {
        func status(_ id: String, basic: (String, String)? = nil) async throws -> Int {
          try await request(
            cloud, application, assertion(claims(faspexAware(application, id), clientID: id)), clientID: id,
            basic: basic
          ).status
        }
        let success = application.name == "Faspex" ? 201 : 200
        let refusal = application.name == "Faspex" ? 400 : 401
        for (id, basic, expected) in [
          ("client-1", nil, success), ("client-1", ("client-1", "client-secret"), success),
          ("client-1", ("client-1", "wrong"), refusal), ("client-1", ("client-2", "other-secret"), refusal),
          ("client-2", nil, refusal), ("client-2", ("client-2", "other-secret"), success),
          ("client-3", nil, application.name == "Faspex" ? 403 : 401),
        ] as [(String, (String, String)?, Int)] {
          let status = try await status(id, basic: basic)
          XCTAssertEqual(status, expected, "\(application.name): \(id), \(basic?.1 ?? "no secret")")
        }
      }
    }
  }

  /// The application with the audience that it requires of a client: Faspex requires the client's ID.
  private func faspexAware(_ application: GrantedApplication, _ clientID: String) -> GrantedApplication {
    guard application.name == "Faspex" else { return application }
    return GrantedApplication(
      name: application.name, path: application.path, audience: clientID, subject: application.subject)
  }

  func testMalformedRequestsAreRefused() async throws {
    try await withApplications { cloud in
      for application in applications {
        for (more, status) in [
          (["grant_type": ""], 400), (["grant_type": "password"], 400), (["assertion": ""], 400),
          (["client_id": ""], 400),
        ] {
          let reply = try await request(cloud, application, assertion(claims(application)), more: more)
          XCTAssertEqual(reply.status, status, "\(more): \(reply.text)")
        }
      }
      let elsewhere = GrantedApplication(
        name: "", path: "/api/v1/oauth2/other/token", audience: JWTGrant.asperaOnCloudAudience, subject: "")
      let reply = try await request(cloud, elsewhere, assertion(claims(.onCloud)))
      XCTAssertEqual(reply.status, 404, reply.text)
    }
  }

  func testInvalidConfigurationIsRefused() async throws {
    var none = try configuration()
    none.aspera.onCloud?.workspaces = []
    var key = try configuration()
    key.aspera.onCloud?.accessKey = "unknown"
    var twice = try configuration()
    twice.aspera.faspex?.users += try users()
    var pem = try configuration()
    pem.aspera.faspex?.users[0].publicKeys = ["no key"]
    for (configuration, says) in [(none, "workspace"), (key, "access key"), (twice, "twice"), (pem, "PEM")] {
      do {
        try await LocalCloud.start(configuration).stop()
        XCTFail("started: \(says)")
      } catch {
        XCTAssertTrue("\(error)".contains(says), "\(error)")
      }
    }
  }
}
