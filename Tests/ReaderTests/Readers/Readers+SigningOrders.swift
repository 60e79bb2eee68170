// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import StorageAuthServer

/// Readers of a signing service: orders, and the strings to sign of each vendor.
extension Reader {
  static let signingOrders = [orders, ossV1Strings, ossCanonicalRequests, cosCanonicalRequests, s3CanonicalRequests]

  // MARK: Access policies

  private static let policyRows =
    [
      Growth("many rules") { size in
        let rules = (0..<size / 32).map {
          AccessRule(.read, .write, objects: .prefix("p\($0)/"), in: "b", types: ["image/*"], until: Samples.now)
        }
        let access = AccessRequest(.write, "p/a", in: "b", contentType: "image/png", at: Samples.now)
        return {
          _ = try? AccessPolicy(rules).check(access)
          _ = try? rules.map { try $0.objects.pattern(in: "RAM") }
        }
      },
      Growth("a long key") { size in
        let rule = AccessRule(.read, objects: .prefix(repeated("$", to: size)), in: "b")
        let access = AccessRequest(.read, repeated("$", to: size) + "a", in: "b", at: Samples.now)
        return {
          _ = try? AccessPolicy([rule]).check(access)
          _ = try? rule.objects.pattern(in: "RAM")
        }
      },
      Growth("a long media type") { size in
        let rule = AccessRule(.write, objects: .prefix(""), in: "b", types: ["image/*"])
        let access = AccessRequest(.write, "a", in: "b", contentType: repeated("image/", to: size), at: Samples.now)
        return { _ = try? AccessPolicy([rule]).check(access) }
      },
    ]

  private static let orders = Reader(name: "signing-orders", growths: .rows(policyRows)) { input, _ in
    guard let order = try? SigningRequest(json: input) else { return false }
    return try check(order, input)
  }

  // MARK: Strings to sign

  private typealias SampleShape = (path: String, headers: [(String, String)])

  private static let requestShapes: KeyValuePairs<String, @Sendable (Int) -> SampleShape> = [
    "a long path": { ("/" + repeated("a/", to: $0), []) },
    "many parameters": { ("/a?" + numbered(to: $0, separator: "&") { "a\($0)=b" }, []) },
    "many sub-resources": { ("/a?" + numbered(to: $0, separator: "&") { "x-oss-a\($0)=b" }, []) },
    "one sub-resource again and again": { ("/a?" + repeated("acl&", to: $0) + "uploads", []) },
    "escapes": { ("/" + repeated("%41%E6%97%A5", to: $0 / 12 * 12), []) },
    "many headers": { size in ("/a", (0..<size / 20).map { ("x-oss-meta-a\($0)", "b") }) },
    "many headers of S3": { size in ("/a", (0..<size / 20).map { ("x-amz-meta-a\($0)", "b") }) },
    "many headers of COS": { size in ("/a", (0..<size / 20).map { ("x-cos-meta-a\($0)", "b") }) },
    "a long header": { ("/a", [("x-oss-meta-a", repeated("b ", to: $0) + "c")]) },
  ]

  private static func request(_ shape: SampleShape, _ authority: String) -> HTTPRequest {
    var request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: shape.path)
    for (name, value) in shape.headers {
      if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return request
  }

  private static func ossGrowths(_ version: OSSSignatureVersion) -> [Growth] {
    requestShapes.map { shape, make in
      Growth(shape) { size in
        let request = request(make(size), "photos.oss-cn-hangzhou.aliyuncs.com")
        let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou")
        let order = (try? signer.prepare(request, as: Samples.measuredKey.identity, in: .at(Samples.now)))
          .map { SigningRequest($0) }
        return {
          guard let order else { return }
          _ = try? OSSStringToSignSigner(region: "cn-hangzhou").intent(of: order)
        }
      }
    }
  }

  private static let brokenShapes: Growths.Shapes = [
    "lines": { "GET\n" + repeated("\n", to: $0) },
    "question marks": { "GET\n\n\nd\n/b/k" + repeated("?acl", to: $0) },
    "headers and no end": { "GET\n\n\nd\n" + repeated("x-oss-a:b\n", to: $0) },
  ]

  private static let brokenGrowths = Growth.bytes(brokenShapes) { bytes in
    let order = SigningRequest(.ossV1, method: "GET", stringToSign: String(decoding: bytes, as: UTF8.self))
    _ = try? OSSStringToSignSigner(region: "cn-hangzhou").intent(of: order)
  }

  private static let ossV1Strings = Reader(name: "oss-v1-strings", growths: .rows(ossGrowths(.v1) + brokenGrowths)) {
    input, _ in
    let string = text(input)
    let method = String(string.prefix { $0 != "\n" })
    return try check(SigningRequest(.ossV1, method: method, stringToSign: string), input)
  }

  private static let ossCanonicalRequests = Reader(name: "oss-canonical-requests", growths: .rows(ossGrowths(.v4))) {
    input, _ in
    let canonical = text(input)
    let scope = "20261120/cn-hangzhou/oss/aliyun_v4_request"
    let string = "OSS4-HMAC-SHA256\n20261120T080000Z\n\(scope)\n\(SHA256.hash(Array(canonical.utf8)).hex)"
    let method = String(canonical.prefix { $0 != "\n" })
    return try check(
      SigningRequest(.ossV4, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  private static let cosGrowths = requestShapes.map { shape, make in
    Growth(shape) { size in
      let request = request(make(size), "photos-1250000000.cos.ap-guangzhou.myqcloud.com")
      let order = (try? COSSigner().prepare(request, as: Samples.measuredKey.identity, in: .at(Samples.now)))
        .map { SigningRequest($0) }
      return {
        guard let order, let endpoint = try? ServiceEndpoint.cos(region: "ap-guangzhou") else { return }
        _ = try? COSStringToSignSigner(endpoint: endpoint).intent(of: order)
      }
    }
  }

  private static let cosCanonicalRequests = Reader(name: "cos-canonical-requests", growths: .rows(cosGrowths)) {
    input, _ in
    let canonical = text(input)
    let string = "sha1\n1795161540;1795165200\n\(SHA1.hash(Array(canonical.utf8)).hex)\n"
    let method = String(canonical.prefix { $0 != "\n" }).uppercased()
    return try check(
      SigningRequest(.cosV5, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  private static let s3Growths = requestShapes.map { shape, make in
    Growth(shape) { size in
      let request = request(make(size), "photos.s3.eu-central-1.amazonaws.com")
      let signer = S3Signer(region: "eu-central-1")
      let order = (try? signer.prepare(request, as: Samples.measuredKey.identity, in: .at(Samples.now)))
        .map { SigningRequest($0) }
      return {
        guard let order, let endpoint = try? ServiceEndpoint.s3(region: "eu-central-1") else { return }
        _ = try? S3StringToSignSigner(region: "eu-central-1", endpoint: endpoint).intent(of: order)
      }
    }
  }

  private static let s3CanonicalRequests = Reader(name: "s3-canonical-requests", growths: .rows(s3Growths)) {
    input, _ in
    let canonical = text(input)
    let scope = "20261120/eu-central-1/s3/aws4_request"
    let string = "AWS4-HMAC-SHA256\n20261120T080000Z\n\(scope)\n\(SHA256.hash(Array(canonical.utf8)).hex)"
    let method = String(canonical.prefix { $0 != "\n" })
    return try check(
      SigningRequest(.s3V4, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  private static func check(_ order: SigningRequest, _ input: [UInt8]) throws -> Bool {
    let rules = SigningRules(
      AccessPolicy([AccessRule(.read, .write, objects: .prefix("alice/"), in: "photos")]), lifetime: .seconds(3600))
    let signer: any StringToSignSigner =
      switch order.scheme {
      case .cosV5: COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
      case .s3V4: S3StringToSignSigner(region: "eu-central-1", endpoint: try .s3(region: "eu-central-1"))
      default: OSSStringToSignSigner(region: "cn-hangzhou")
      }
    let intents: [AuthorizedRequest]
    do throws(SigningRefusal) {
      intents = try [0, 1].map { _ throws(SigningRefusal) in
        try signer.intent(of: order)
      }
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
    try require("\(intents[0])" == "\(intents[1])", "the same string is parsed in two ways")
    do throws(SigningRefusal) {
      _ = try signer.sign(order, with: Samples.key, under: rules, at: Samples.now)
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return true
    }
    if let key = intents[0].target.key {
      try require(key.utf8.starts(with: "alice/".utf8), "a key of another caller is signed")
    }
    return true
  }
}
