internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// One of the signing workloads: from a request to its Authorization header, or to the whole URL; fixed clock.
struct Workload {
  let name: String
  let about: String
  /// The most allocations that one signature may take: the strings and the array that the result consists of and, for a
  /// V1 URL, the path that is signed, for S3 the list of the signed names, which stands in two places.
  let allocationBudget: Double
  /// The signature that has to come out.
  let expected: String
  /// Signs once and returns the header or the URL.
  let sign: () throws -> String
  /// Hashes as many blocks as the signature needs, and nothing else.
  let hashBlocks: () -> UInt8

  /// Where in a header or a URL the signature is.
  func signature(in text: String) -> String {
    if let sign = text.firstRange(of: "ignature=") {
      let value = text[sign.upperBound...].prefix { $0 != "&" }
      return String(decoding: String(value).percentDecodedBytes() ?? [], as: UTF8.self)
    }
    return String(text.split(separator: ":").last ?? "")
  }
}

/// How a workload comes by its key.
enum KeySource: CaseIterable {
  /// It has it.
  case held
  /// It asks a cache each time, as a client does.
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
    return [
      Workload(
        name: "W1", about: "OSS V1 header", allocationBudget: 3, expected: input.signature("W1"),
        sign: { try v1.signed(put, with: ossKey(), in: context).headerFields[.authorization] ?? "" },
        hashBlocks: hmacSHA1(byteCount: 789)),
      Workload(
        name: "W2", about: "OSS V1 URL", allocationBudget: 2, expected: input.signature("W2"),
        sign: { try v1.presign(get, with: ossKeyAlone(), validFor: input.lifetime, in: context).url },
        hashBlocks: hmacSHA1(byteCount: 95)),
      Workload(
        name: "W3", about: "OSS V4 header", allocationBudget: 3, expected: input.signature("W3"),
        sign: { try v4.signed(put, with: ossKey(), in: context).headerFields[.authorization] ?? "" },
        hashBlocks: hashThenHMACSHA256(byteCount: 870, stringToSign: 141)),
      Workload(
        name: "W4", about: "COS V5 header", allocationBudget: 2, expected: input.signature("W4_nodate"),
        sign: { try cos.signed(part, with: cosKey(), in: context).headerFields[.authorization] ?? "" },
        hashBlocks: hashThenHMACSHA1(byteCount: 1026, stringToSign: 68)),
      Workload(
        name: "W5", about: "COS V5 URL", allocationBudget: 1, expected: input.signature("W5"),
        sign: { try cos.presign(cosGet, with: cosKeyAlone(), validFor: input.lifetime, in: context).url },
        hashBlocks: hashThenHMACSHA1(byteCount: 97, stringToSign: 68)),
      Workload(
        name: "W6", about: "S3 V4 header", allocationBudget: 4, expected: input.signature("W6"),
        sign: { try s3Body.signed(s3Put, with: s3Key(), in: context).headerFields[.authorization] ?? "" },
        hashBlocks: hashThenHMACSHA256(byteCount: 1119, stringToSign: 136)),
      Workload(
        name: "W7", about: "S3 V4 URL", allocationBudget: 3, expected: input.signature("W7"),
        sign: { try s3.presign(s3Get, with: s3KeyAlone(), validFor: input.lifetime, in: context).url },
        hashBlocks: hashThenHMACSHA256(byteCount: 331, stringToSign: 136)),
    ]
  }
}

private func firstByte(_ digest: Digest) -> UInt8 { digest.withBytes { $0[0] } }

private func hmacSHA1(byteCount: Int) -> () -> UInt8 {
  let message = [UInt8](repeating: 0x61, count: byteCount)
  let key = HMACKey<SHA1>(Array("key".utf8).span)
  return { firstByte(key.authenticationCode(for: message.span)) }
}

private func hashThenHMACSHA1(byteCount: Int, stringToSign: Int) -> () -> UInt8 {
  let message = [UInt8](repeating: 0x61, count: byteCount)
  let text = [UInt8](repeating: 0x61, count: stringToSign)
  let key = HMACKey<SHA1>(Array("key".utf8).span)
  return { firstByte(SHA1.hash(message.span)) ^ firstByte(key.authenticationCode(for: text.span)) }
}

private func hashThenHMACSHA256(byteCount: Int, stringToSign: Int) -> () -> UInt8 {
  let message = [UInt8](repeating: 0x61, count: byteCount)
  let text = [UInt8](repeating: 0x61, count: stringToSign)
  let key = HMACKey<SHA256>(Array("key".utf8).span)
  return { firstByte(SHA256.hash(message.span)) ^ firstByte(key.authenticationCode(for: text.span)) }
}
