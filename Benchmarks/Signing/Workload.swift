// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CHashBlocks
internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// A signing workload: from a request to its Authorization header or to the whole URL, with a fixed clock.
struct Workload {
  let name: String
  let about: String
  /// The greatest ratio of a signature's time to that of its hash blocks.
  ///
  /// It is three for the fields alone, and two and a half for the URLs of an object presigner. A whole request and a
  /// single URL must not become slower than they were when these ways were added.
  let goal: Double
  /// The greatest number of allocations of one signature.
  ///
  /// They are the strings and the array of the result and, for an S3 URL, the list of the signed names and the signed
  /// path. For a prepared URL, a thousandth of the preparation is added.
  let allocationBudget: Double
  /// The greatest number of instructions outside of libcrypto for one signature.
  let instructionBudget: Int
  /// The expected signature.
  let expected: String
  /// A function that signs once and discards the result.
  let act: () throws -> Void
  /// A function that signs once and returns the header or the URL.
  let sign: () throws -> String
  /// A function that hashes the blocks of a signature the given number of times, without any other work.
  let hash: (Int) -> Void

  /// Returns the signature in a header or a URL.
  func signature(in text: String) -> String {
    if let sign = text.firstRange(of: "ignature=") {
      let value = text[sign.upperBound...].prefix { $0 != "&" }
      return String(decoding: String(value).percentDecodedBytes() ?? [], as: UTF8.self)
    }
    return String(text.split(separator: ":").last ?? "")
  }
}

/// The way in which a workload obtains its key.
enum KeySource: CaseIterable {
  /// The workload stores the key.
  case held
  /// The workload reads the key from a cache each time, as a client does.
  case cached

  func key(_ key: AccessKey, living end: Timestamp) -> () -> AccessKey {
    switch self {
    case .held: return { key }
    case .cached:
      let cache = CredentialCache(
        AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: end))
      return { cache.current(lasting: .seconds(2))?.credential ?? .anonymous }
    }
  }
}

extension Workload {
  static func all(_ input: Inputs, keys: KeySource = .held) throws -> [Workload] {
    let end = max(.now, input.date).advanced(by: .seconds(30 * 86_400))
    func key(_ id: String, _ secret: String, _ token: String? = nil) -> () -> AccessKey {
      keys.key(AccessKey(id: id, secret: secret, sessionToken: token), living: end)
    }
    let ossKey = key(input.ossID, input.ossSecret, input.token)
    let ossKeyAlone = key(input.ossID, input.ossSecret)
    let cosKey = key(input.cosID, input.cosSecret, input.token)
    let cosKeyAlone = key(input.cosID, input.cosSecret)
    let context = SigningContext(date: input.date)
    let v1 = OSSSigner(.v1, bucket: input.ossBucket)
    let v4 = OSSSigner(.v4, bucket: input.ossBucket, region: input.ossRegion)
    let cos = COSSigner()
    let put = input.ossPut
    let get = input.ossGet
    let part = input.cosPart
    let cosGet = input.cosGet
    let s3Key = key(input.s3ID, input.s3Secret, input.token)
    let s3KeyAlone = key(input.s3ID, input.s3Secret)
    let s3 = S3Signer(region: input.s3Region)
    let s3Body = s3.with(payload: .sha256(input.s3BodyHash))
    let s3Put = input.s3Put
    let s3Get = input.s3Get
    func header(
      _ name: String, _ about: String, goal: Double, allocations: Double, instructions: Int, expected: String? = nil,
      _ blocks: HashBlocks, _ sign: @escaping () throws -> HTTPRequest
    ) -> Workload {
      Workload(
        name: name, about: about, goal: goal, allocationBudget: allocations, instructionBudget: instructions,
        expected: input.signature(expected ?? name), act: { take(try sign()) },
        sign: { try sign().headerFields[.authorization] ?? "" }, hash: blocks.run)
    }
    /// Returns the workload of the fields of a header workload alone, without a copy of the request.
    func fields(
      _ letter: String = "F", _ kind: String = "fields", of workload: Workload, allocations: Double? = nil,
      instructions: Int, _ sign: @escaping () throws -> [(name: HTTPField.Name, value: String)]
    ) -> Workload {
      Workload(
        name: letter + workload.name.dropFirst(), about: workload.about.replacing("header", with: kind), goal: 3,
        allocationBudget: allocations ?? workload.allocationBudget, instructionBudget: instructions,
        expected: workload.expected, act: { take(try sign()) }, sign: { try sign().last?.value ?? "" },
        hash: workload.hash)
    }
    /// Returns the workload of the fields of one request of a thousand that a prepared signer signs.
    func prepared(
      of workload: Workload, allocations: Double, instructions: Int, by signer: some HeaderSigner<AccessKey>,
      _ request: HTTPRequest, with key: @escaping () -> AccessKey
    ) throws -> Workload {
      var prepared = try signer.preparedSigner(with: key(), in: context)
      var count = 0
      return fields("H", "prepared", of: workload, allocations: allocations, instructions: instructions) {
        count &+= 1
        if count == 1000 {
          count = 0
          prepared = try signer.preparedSigner(with: key(), in: context)
        }
        return try prepared.fields(for: request)
      }
    }
    func url(
      _ name: String, _ about: String, goal: Double, allocations: Double, instructions: Int,
      expected: String? = nil, _ blocks: HashBlocks, _ sign: @escaping () throws -> PresignedRequest
    ) -> Workload {
      Workload(
        name: name, about: about, goal: goal, allocationBudget: allocations, instructionBudget: instructions,
        expected: input.signature(expected ?? name), act: { take(try sign()) }, sign: { try sign().url },
        hash: blocks.run)
    }
    /// Returns the workload of one URL of a thousand that a prepared presigner creates.
    func link(
      _ name: String, _ about: String, instructions: Int, expected: String, _ blocks: HashBlocks,
      _ prepare: @escaping () throws -> ObjectPresigner
    ) throws -> Workload {
      let (presigner, object) = (try prepare(), input.objectKey)
      var count = 0
      return url(
        name, about, goal: 2.5, allocations: 1.1, instructions: instructions, expected: expected, blocks
      ) {
        count &+= 1
        if count == 1000 {
          count = 0
          take(try prepare())
        }
        return try presigner.presign(object)
      }
    }
    let lifetime = input.lifetime
    let v1Header = header(
      "W1", "OSS V1 header", goal: 3.6, allocations: 3, instructions: 13_900,
      HashBlocks(hash_blocks_sha1, authenticated: 789)
    ) { try v1.signed(put, with: ossKey(), in: context) }
    let v4Header = header(
      "W3", "OSS V4 header", goal: 3.6, allocations: 3, instructions: 19_800,
      HashBlocks(hash_blocks_sha256, hashed: 870, authenticated: 141)
    ) { try v4.signed(put, with: ossKey(), in: context) }
    let cosHeader = header(
      "W4", "COS V5 header", goal: 3.7, allocations: 2, instructions: 23_400, expected: "W4_nodate",
      HashBlocks(hash_blocks_sha1, hashed: 1026, authenticated: 68)
    ) { try cos.signed(part, with: cosKey(), in: context) }
    let s3Header = header(
      "W6", "S3 V4 header", goal: 4.2, allocations: 3, instructions: 26_700,
      HashBlocks(hash_blocks_sha256, hashed: 1119, authenticated: 136)
    ) { try s3Body.signed(s3Put, with: s3Key(), in: context) }
    return [
      v1Header,
      url(
        "W2", "OSS V1 URL", goal: 7.5, allocations: 1, instructions: 7_800,
        HashBlocks(hash_blocks_sha1, authenticated: 95)
      ) {
        try v1.presign(get, with: ossKeyAlone(), validFor: lifetime, in: context)
      },
      v4Header, cosHeader,
      url(
        "W5", "COS V5 URL", goal: 4.6, allocations: 1, instructions: 9_100,
        HashBlocks(hash_blocks_sha1, hashed: 97, authenticated: 68)
      ) { try cos.presign(cosGet, with: cosKeyAlone(), validFor: lifetime, in: context) },
      s3Header,
      url(
        "W7", "S3 V4 URL", goal: 4.6, allocations: 2, instructions: 17_050,
        HashBlocks(hash_blocks_sha256, hashed: 331, authenticated: 136)
      ) { try s3.presign(s3Get, with: s3KeyAlone(), validFor: lifetime, in: context) },
      fields(of: v1Header, instructions: 10_550) { try v1.fields(for: put, with: ossKey(), in: context) },
      fields(of: v4Header, instructions: 14_250) { try v4.fields(for: put, with: ossKey(), in: context) },
      fields(of: cosHeader, instructions: 16_850) { try cos.fields(for: part, with: cosKey(), in: context) },
      fields(of: s3Header, instructions: 19_350) { try s3Body.fields(for: s3Put, with: s3Key(), in: context) },
      try prepared(of: v1Header, allocations: 2.1, instructions: 9_120, by: v1, put, with: ossKey),
      try prepared(of: v4Header, allocations: 2.1, instructions: 12_270, by: v4, put, with: ossKey),
      try prepared(of: cosHeader, allocations: 2.1, instructions: 14_870, by: cos, part, with: cosKey),
      try prepared(of: s3Header, allocations: 2.1, instructions: 17_220, by: s3Body, s3Put, with: s3Key),
      try link(
        "P2", "OSS V1 prepared", instructions: 2_440, expected: "W2", HashBlocks(hash_blocks_sha1, authenticated: 95)
      ) { try v1.presigner(for: input.inBucket(get), with: ossKeyAlone(), validFor: lifetime, in: context) },
      try link(
        "P5", "COS V5 prepared", instructions: 2_700, expected: "W5",
        HashBlocks(hash_blocks_sha1, hashed: 97, authenticated: 68)
      ) { try cos.presigner(for: input.inBucket(cosGet), with: cosKeyAlone(), validFor: lifetime, in: context) },
      try link(
        "P7", "S3 V4 prepared", instructions: 2_780, expected: "W7",
        HashBlocks(hash_blocks_sha256, hashed: 331, authenticated: 136)
      ) { try s3.presigner(for: input.inBucket(s3Get), with: s3KeyAlone(), validFor: lifetime, in: context) },
    ]
  }
}

/// The hash blocks of a signature, hashed by C code.
struct HashBlocks {
  let function: hash_blocks_function
  let hashed: Int32
  let authenticated: Int32

  init(_ function: hash_blocks_function, hashed: Int32 = 0, authenticated: Int32) {
    self.function = function
    self.hashed = hashed
    self.authenticated = authenticated
  }

  func run(_ count: Int) {
    take(hash_blocks_run(function, hashed, authenticated, Int32(count)))
  }
}
