// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import S3Auth
import SigningJobs
import StorageAuth
import StorageDiagnosis

@testable import AsperaAuth
@testable import COSAuth
@testable import CredentialSources
@testable import LocalCloud

/// Readers of files and responses with credentials, output of ascp and nodes, policies and strings to sign.
extension Readers {
  private nonisolated static let place = SettingLocation(source: "complexity", name: "The file", remedy: "Correct it.")
  private nonisolated static let date = Timestamp(unixSeconds: 1_795_161_600)

  private static let iniFiles: [Reader] =
    Reader.bytes(
      "INI file",
      [
        "many sections": { numbered(to: $0) { "[s\($0)]\na=b\n" } },
        "one section again and again": { repeated("[s]\n", to: $0) },
        "many keys": { "[s]\n" + numbered(to: $0) { "k\($0) = v # c\n" } },
        "one key again and again": { "[s]\n" + repeated("k=v\n", to: $0) },
        "a long line": { "[s]\nk = " + repeated("v ", to: $0) }, "blank lines": { repeated("\n", to: $0) + "[s]" },
        "quotation marks": { "[s]\nk = " + repeated("\"'", to: $0) },
        "nested settings": { "[s]\nk =\n" + numbered(to: $0) { "  k\($0) = v\n" } },
        "comments": { repeated("# ; \r\n", to: $0) },
      ],
      read: { bytes in
        for dialect in [INIDocument.Dialect(), .init(removesQuotes: false, hasNestedSettings: true)] {
          guard let document = try? INIDocument(bytes, at: place, dialect: dialect) else { return }
          for name in document.names.prefix(1) { _ = try? document.section(name, at: place) }
        }
      })

  private static let yamlFiles: [Reader] =
    Reader.bytes(
      "YAML file",
      [
        "many keys": { "cos:\n  base:\n" + numbered(to: $0) { "    k\($0): v\n" } },
        "one key again and again": { "cos:\n  base:\n" + repeated("    k: v\n", to: $0) },
        "deeper and deeper": { size in
          var lines: [String] = []
          var count = 0
          while count < size {
            lines.append(String(repeating: " ", count: lines.count) + "k:")
            count += lines.count + 2
          }
          return lines.joined(separator: "\n")
        },
        "up and down": { repeated("a:\n  b:\n    c:\n", to: $0) }, "a long line": { "cos: " + repeated("v ", to: $0) },
        "quotation marks": { "cos:\n  base:\n    k: '" + repeated("''", to: $0) + "'" },
        "comments": { repeated("# x\n", to: $0) },
      ], read: { bytes in _ = try? YAMLMapping(bytes, path: ["cos", "base"], at: place) })

  private static let credentialAnswers: [Reader] =
    Reader.bytes(
      "credential answer",
      [
        "many tokens": { "{\(numbered(to: $0, separator: ",") { "\"token\($0)\":\"abcd\"" })}" },
        "tokens that are masks": {
          #"{"message":"redacted","a":[\#(repeated(#"{"token":"redacted"},"#, to: $0))1]}"#
        },
        "deep tokens": { repeated(#"{"token":"abcd","a":"#, to: $0) + "1" + repeated("}", to: $0 / 18) },
        "tokens that begin alike": { size in
          let value = String(repeating: "a", count: 200)
          return "{\(numbered(to: size, separator: ",") { "\"token\($0)\":\"\(value)\($0)\"" })}"
        },
        "a long token": { #"{"token":"\#(repeated("a", to: $0))"}"# },
        "many elements": { "<A>\(numbered(to: $0) { "<Token\($0)>abcd</Token\($0)>" })</A>" },
        "tokens of XML": { "<A>\(repeated("<Token>redacted</Token>", to: min($0, 4096)))\(repeated(" ", to: $0))</A>" },
      ],
      read: { body in
        let answer = ServiceResponse(ReceivedResponse(response: HTTPResponse(status: .ok), body: body, masks: []))
        _ = answer.text.shown(String(decoding: body.prefix(4000), as: UTF8.self))
        _ = try? SettingTable(json: body, at: place)
        _ = answer.unreadable
      })

  private static let serviceTexts: [Reader] =
    Reader.bytes(
      "text of a service",
      [
        "one letter": { repeated("a", to: $0) }, "blanks": { repeated(" ", to: $0) },
        "controls": { repeated("\u{1B}[2K", to: $0) }, "accents": { "e" + repeated("\u{301}", to: $0) },
        "flags": { repeated("\u{1F1E9}\u{1F1EA}", to: $0) },
      ],
      read: { bytes in
        _ = ServiceText(masking: [Secret("aaaaaaab"), Secret("abcd")]).shown(String(decoding: bytes, as: UTF8.self))
      })

  private static let masking: [Reader] =
    Reader.bytes(
      "masking",
      [
        "the beginning of a secret": { repeated("a", to: $0) }, "secrets": { repeated("aaaaaaab", to: $0) },
        "masks": { repeated(Secret.mask, to: $0) }, "names": { repeated("security-token=", to: $0) },
        "lines": { repeated("x-cos-security-token:e\n", to: $0) }, "escapes": { repeated("%61%252F", to: $0) },
        "a long name": { repeated("n", to: $0) + "-security-token:e" },
      ],
      read: { bytes in
        let secrets = [Secret("aaaaaaab"), Secret("abaa"), Secret("redacted"), Secret("a/b+c=="), Secret(bytes: bytes)]
        _ = SecretMask(secrets, masksNamedValues: true).applied(to: String(decoding: bytes, as: UTF8.self))
      })

  private static let dates: [Reader] =
    Reader.bytes(
      "date",
      [
        "digits": { repeated("1", to: $0) }, "a fraction": { "2026-11-20T08:00:00." + repeated("9", to: $0) + "Z" },
        "blanks": { repeated(" ", to: $0) }, "dates": { repeated("Fri, 20 Nov 2026 08:00:00 GMT", to: $0) },
      ],
      read: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = (Timestamp(iso8601: text), Timestamp(iso8601Basic: text), Timestamp(httpDate: text))
        _ = Timestamp(expiration: text)
      })

  private static let requestLines: [Reader] =
    Reader.bytes(
      "request line",
      [
        "many headers": {
          #"{"method":"GET","url":"https://h/","headers":{\#(numbered(to: $0, separator: ",") { "\"a\($0)\":\"b\"" })}}"#
        },
        "a long URL": { #"{"method":"GET","url":"https://h/\#(repeated("a/", to: $0))"}"# },
        "many parameters": {
          #"{"method":"GET","url":"https://h/?\#(numbered(to: $0, separator: "&") { "a\($0)=b" })"}"#
        },
      ], read: { bytes in _ = try? SigningJob(json: String(decoding: bytes, as: UTF8.self)) })

  private static let curlLines: [Reader] =
    Reader.bytes(
      "curl line",
      [
        "many headers": { "curl " + repeated("-H 'a: b' ", to: $0) + "https://h/" },
        "options in one word": { "curl -" + repeated("s", to: $0) }, "escapes": { repeated("\\\"", to: $0) },
        "quotes": { repeated("''\"\"", to: $0) }, "blanks": { repeated(" \\\n\t", to: $0) },
        "accents": { "curl a" + repeated("\u{301}", to: $0) }, "a long URL": { "https://h/" + repeated("a/", to: $0) },
      ], read: { bytes in _ = try? CurlLine(String(decoding: bytes, as: UTF8.self)) })

  static let settings =
    iniFiles + yamlFiles + credentialAnswers + serviceTexts + masking + dates + requestLines + curlLines

  private static let frames: [Reader] =
    [1, 64, 1 << 20].flatMap { chunk in
      Reader.bytes(
        "management frames", size: chunk == 1 ? 1024 : 4096,
        [
          "many frames, in pieces of \(chunk)": { repeated("FASPMGR 2\nType: STATS\nBytescont: 1\n\n", to: $0) },
          "many fields, in pieces of \(chunk)": { "FASPMGR 2\n" + numbered(to: $0) { "F\($0): v\n" } + "\n" },
          "one field again and again, in pieces of \(chunk)": { "FASPMGR 2\n" + repeated("F: v\n", to: $0) + "\n" },
          "a long line, in pieces of \(chunk)": { "FASPMGR 2\nF: " + repeated("v", to: $0) },
          "no frames, in pieces of \(chunk)": { repeated("x\n", to: $0) },
          "line ends, in pieces of \(chunk)": { repeated("\r\n", to: $0) },
        ],
        read: { bytes in
          var parser = ManagementFrameParser()
          for start in stride(from: 0, to: bytes.count, by: chunk) {
            _ = parser.feed(bytes[start..<min(bytes.count, start + chunk)])
          }
          _ = parser.finish()
        })
    }

  private static let ascpFailures: [Reader] =
    Reader.bytes(
      "failure of ascp",
      [
        "words": { repeated("token expired ", to: $0) }, "one letter": { repeated("t", to: $0) },
        "almost tokens": { repeated("ATM", to: $0) }, "spaces": { repeated(" ", to: $0) },
      ], read: { bytes in _ = AscpErrorCode.classify(code: 1, text: String(decoding: bytes, as: UTF8.self)) })

  private static let specifications: [Reader] =
    Reader.bytes(
      "transfer specification",
      [
        "many paths": {
          #"{"direction":"send","remote_host":"h","paths":[\#(numbered(to: $0, separator: ",") { #"{"source":"/a\#($0)"}"# })]}"#
        },
        "many fields": {
          #"{"direction":"send","remote_host":"h","paths":[{"source":"/a"}],\#(numbered(to: $0, separator: ",") { "\"f\($0)\":1" })}"#
        },
        "deep tags": { #"{"direction":"send","paths":[{"source":"/a"}],"tags":\#(repeated(#"{"a":"#, to: $0))"# },
        "a long path": {
          #"{"direction":"send","remote_host":"h","paths":[{"source":"/\#(repeated("../", to: $0))"}]}"#
        },
      ],
      read: { bytes in
        guard let specification = try? TransferSpec(json: bytes) else { return }
        _ = try? specification.validate()
        _ = "\(specification)"
      })

  private static let links: [Reader] =
    Reader.bytes(
      "FASP link",
      [
        "many parameters": { "fasp://u@h/a?" + numbered(to: $0, separator: "&") { "p\($0)=v" } },
        "one parameter again and again": { "fasp://u@h/a?" + repeated("port=1&", to: $0) },
        "a long path": { "fasp://u@h/" + repeated("%41/", to: $0) }, "at signs": { "fasp://" + repeated("@", to: $0) },
        "colons": { "fasp://" + repeated(":", to: $0) },
      ], read: { bytes in _ = try? FaspURI(String(decoding: bytes, as: UTF8.self)) })

  private static let bearerTokens: [Reader] =
    Reader.bytes(
      "bearer token",
      [
        "Base64": { repeated("eJxz", to: $0) }, "other Base64": { repeated("-_", to: $0) },
        "line ends": { repeated("A\n", to: $0) }, "a web token": { repeated("eyJ", to: $0) + ".e30.e30" },
        "dots": { repeated(".", to: $0) },
      ],
      read: { bytes in
        _ = try? NodeBearerToken(Secret(bytes: bytes))
        _ = try? AsperaToken(Secret(bytes: bytes))
        _ = JSONWebToken(String(decoding: bytes, as: UTF8.self))
      })

  private static let privateKeys: [Reader] =
    Reader.bytes(
      "private key",
      [
        "lines": { "-----BEGIN RSA PRIVATE KEY-----\n" + repeated("AAAA\n", to: $0) + "-----END RSA PRIVATE KEY-----" },
        "headers": { "-----BEGIN RSA PRIVATE KEY-----\n" + repeated("a: b\n", to: $0) },
        "beginnings": { repeated("-----BEGIN A-----\n", to: $0) }, "hyphens": { repeated("-", to: $0) },
        "an OpenSSH key": {
          "-----BEGIN OPENSSH PRIVATE KEY-----\n" + repeated("AAAA", to: $0) + "\n-----END OPENSSH PRIVATE KEY-----"
        },
      ], read: { bytes in _ = try? KeyText(bytes, at: KeyLocation(.file("k"))) })

  static let aspera = frames + ascpFailures + specifications + links + bearerTokens + privateKeys

  // MARK: Policies

  private static let accessPolicies: [Reader] =
    [
      Reader("access policy", "many rules") { size in
        let rules = (0..<size / 32).map {
          AccessRule(.read, .write, objects: .prefix("p\($0)/"), in: "b", types: ["image/*"], until: date)
        }
        let access = AccessRequest(.write, "p/a", in: "b", contentType: "image/png", at: date)
        return {
          _ = try? AccessPolicy(rules).check(access)
          _ = try? rules.map { try $0.objects.pattern(in: "RAM") }
        }
      },
      Reader("access policy", "a long key") { size in
        let rule = AccessRule(.read, objects: .prefix(repeated("$", to: size)), in: "b")
        let access = AccessRequest(.read, repeated("$", to: size) + "a", in: "b", at: date)
        return {
          _ = try? AccessPolicy([rule]).check(access)
          _ = try? rule.objects.pattern(in: "RAM")
        }
      },
      Reader("access policy", "a long media type") { size in
        let rule = AccessRule(.write, objects: .prefix(""), in: "b", types: ["image/*"])
        let access = AccessRequest(.write, "a", in: "b", contentType: repeated("image/", to: size), at: date)
        return { _ = try? AccessPolicy([rule]).check(access) }
      },
    ]

  private static let sessionPolicies: [Reader] =
    Reader.bytes(
      "session policy",
      [
        "many statements": { size in
          let one = #"{"effect":"allow","action":"name/cos:GetObject","resource":"qcs::cos:*:uid/1:b-1/*"}"#
          return #"{"version":"2.0","statement":[\#(repeated(one + ",", to: size))\#(one)]}"#
        },
        "many resources": { size in
          let names = repeated(#""qcs::cos:*:uid/1:b-1/*a","#, to: size)
          return #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":[\#(names)"*"]}]}"#
        },
        "stars": { size in
          #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"qcs::cos:*:uid/1:b-1/\#(repeated("*a", to: size))"}]}"#
        },
        "a star and one letter": { size in
          #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"qcs::cos:*:uid/1:b-1/*\#(repeated("a", to: size))b"}]}"#
        },
        "many conditions": { size in
          let names = numbered(to: size, separator: ",") { "\"cos:x\($0)\":\"y\"" }
          return
            #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"*","condition":{"string_equal":{\#(names)}}}]}"#
        },
      ],
      read: { bytes in
        guard let policy = try? SessionPolicy(String(decoding: bytes, as: UTF8.self), in: .cam) else { return }
        // The longest name of an object.
        let key = String(repeating: "a", count: 1023)
        let question = PolicyInput(
          action: "name/cos:GetObject", resource: ["qcs", "", "cos", "ap-guangzhou", "uid/1", "b-1/\(key)"], facts: [:])
        _ = policy.allows(question)
      })

  static let policies: [Reader] = accessPolicies + sessionPolicies

  // MARK: Strings to sign

  static let stringsToSign: [Reader] = {
    let key = AccessKey(id: "nobody", secret: "a secret that signs nothing")
    let shapes: KeyValuePairs<String, (Int) -> (path: String, headers: [(String, String)])> = [
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
    func request(_ shape: (path: String, headers: [(String, String)]), _ authority: String) -> HTTPRequest {
      var request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: shape.path)
      for (name, value) in shape.headers {
        if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
      }
      return request
    }
    let oss = shapes.flatMap { shape, make in
      [OSSSignatureVersion.v1, .v4].map { version in
        Reader(version == .v1 ? "OSS V1 string to sign" : "OSS V4 string to sign", shape) { size in
          let request = request(make(size), "photos.oss-cn-hangzhou.aliyuncs.com")
          let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou")
          let order = (try? signer.prepare(request, as: key.identity, in: .at(date))).map { SigningRequest($0) }
          return {
            guard let order else { return }
            _ = try? OSSStringToSignSigner(region: "cn-hangzhou").intent(of: order)
          }
        }
      }
    }
    let cos = shapes.map { shape, make in
      Reader("COS string to sign", shape) { size in
        let request = request(make(size), "photos-1250000000.cos.ap-guangzhou.myqcloud.com")
        let order = (try? COSSigner().prepare(request, as: key.identity, in: .at(date))).map { SigningRequest($0) }
        return {
          guard let order, let endpoint = try? ServiceEndpoint.cos(region: "ap-guangzhou") else { return }
          _ = try? COSStringToSignSigner(endpoint: endpoint).intent(of: order)
        }
      }
    }
    let s3 = shapes.map { shape, make in
      Reader("S3 string to sign", shape) { size in
        let request = request(make(size), "photos.s3.eu-central-1.amazonaws.com")
        let signer = S3Signer(region: "eu-central-1")
        let order = (try? signer.prepare(request, as: key.identity, in: .at(date))).map { SigningRequest($0) }
        return {
          guard let order, let endpoint = try? ServiceEndpoint.s3(region: "eu-central-1") else { return }
          _ = try? S3StringToSignSigner(region: "eu-central-1", endpoint: endpoint).intent(of: order)
        }
      }
    }
    let broken: KeyValuePairs<String, (Int) -> String> = [
      "lines": { "GET\n" + repeated("\n", to: $0) },
      "question marks": { "GET\n\n\nd\n/b/k" + repeated("?acl", to: $0) },
      "headers and no end": { "GET\n\n\nd\n" + repeated("x-oss-a:b\n", to: $0) },
    ]
    let unreadable = Reader.bytes("OSS V1 string to sign", broken) { bytes in
      let order = SigningRequest(.ossV1, method: "GET", stringToSign: String(decoding: bytes, as: UTF8.self))
      _ = try? OSSStringToSignSigner(region: "cn-hangzhou").intent(of: order)
    }
    return oss + cos + s3 + unreadable
  }()
}
