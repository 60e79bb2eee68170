// swift-tools-version: 6.3
// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Returns the names in a text, which are separated by spaces.
func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// A module of a layer: the modules that it imports besides what these import, and the products that it uses.
struct Module {
  let name: String
  let imports: [String]
  let products: [String]
  /// The traits of which each makes consumers fetch the packages of `products`; without one, the module's gate, a target
  /// in `Sources/Traits`, fails to compile with the line that is missing in a consumer's manifest.
  let traits: [String]
  let isPublic: Bool
  let resources: [Resource]

  var gate: String? { traits.isEmpty ? nil : traits.joined(separator: "Or") + "Trait" }

  init(
    _ name: String, _ imports: String = "", _ products: String = "", _ traits: String = "", isPublic: Bool = true,
    resources: [Resource] = []
  ) {
    (self.name, self.imports, self.products) = (name, names(imports), names(products))
    (self.traits, self.isPublic, self.resources) = (names(traits), isPublic, resources)
  }
}

/// The folders of `Sources`, from the bottom up, with their modules in the same order.
///
/// A module may import only modules above its row. ArchitectureTests compares the sources with the rows, and
/// ArchitecturePageTests the graph and the table in `Documentation/Internals/Architecture.md`.
let layers: KeyValuePairs<String, [Module]> = [
  "Core": [
    Module("StorageCrypto", "CLibcrypto CCommonCrypto CCarryless", "Crypto CryptoExtras", isPublic: false),
    Module("StorageAuth", "StorageCrypto HTTPTypes"),
    Module("StorageDiagnosis", "StorageAuth"),
    Module("CredentialSources", "StorageAuth"),
  ],
  "Providers": [
    Module("OSSAuth", "CredentialSources StorageDiagnosis"),
    Module("COSAuth", "CredentialSources StorageDiagnosis"),
    Module("S3Auth", "CredentialSources StorageDiagnosis"),
    Module("AsperaAuth", "CredentialSources CZlib"),
  ],
  "Client": [
    Module(
      "AsyncHTTPTransport", "StorageAuth", "AsyncHTTPClient NIOCore NIOHTTP1 NIOPosix NIOSSL SystemPackage", "Client"),
    Module("FoundationTransport", "StorageAuth"),
    Module("URLSessionDefault", "FoundationTransport", isPublic: false),
    Module(
      "StorageClient", "OSSAuth COSAuth S3Auth AsyncHTTPTransport FoundationTransport URLSessionDefault",
      "Logging NIOCore Subprocess SystemPackage", "Client URLSession",
      resources: [.copy("PrivacyInfo.xcprivacy")]),
    Module("StorageBackground", "FoundationTransport StorageClient", "SystemPackage", "Client URLSession"),
    Module("AsperaTransfer", "AsperaAuth"),
    Module(
      "StoragePrograms", "AsperaTransfer StorageClient", "NIOCore NIOPosix Subprocess SystemPackage", "Client"),
    Module("AsperaClient", "AsperaTransfer StorageClient StoragePrograms", "SystemPackage", "Client URLSession"),
    Module("StorageOperations", "AsperaTransfer", "CoreMetrics ServiceLifecycle Tracing", "Operations"),
  ],
  "Server": [
    Module(
      "StorageAuthServer", "OSSAuth AsperaAuth",
      "CoreMetrics Hummingbird HummingbirdCore HummingbirdHTTP2 Logging NIOCore NIOHTTP1 NIOHTTPTypes NIOSSL NIOTLS "
        + "ServiceLifecycle", "Server"),
    Module("StorageAuthRedis", "StorageAuthServer", "NIOCore NIOPosix NIOSSL", "Redis"),
  ],
  "Testing": [
    Module(
      "LocalCloud", "COSAuth S3Auth StorageAuthServer",
      "HummingbirdCore Logging NIOCore NIOHTTP1 NIOPosix _NIOFileSystem ServiceLifecycle SystemPackage", "Server"),
    Module("StorageAuthTesting", "StorageAuth"),
    Module("StorageClientTesting", "StorageClient", "SystemPackage", "Client URLSession"),
    Module(
      "ascp-simulator", "AsperaAuth StorageClient", "NIOCore NIOPosix _NIOFileSystem SystemPackage", "CommandLine"),
  ],
  "Tool": [
    Module("SigningJobs", "OSSAuth COSAuth S3Auth", isPublic: false),
    Module("StorageConfiguration", "AsyncHTTPTransport LocalCloud StorageClient", "Configuration", "Configuration"),
    Module(
      "storage-auth",
      "AsperaClient StoragePrograms SigningJobs StorageAuthRedis StorageConfiguration StorageOperations",
      "ArgumentParser Configuration CoreMetrics Hummingbird Logging NIOCore ServiceLifecycle SystemPackage UnixSignals",
      "CommandLine",
      resources: ["html", "css", "js"].map { .embedInCode("Console/Page/console.\($0)") }),
  ],
]

/// The modules that are programs.
let programs = ["storage-auth", "ascp-simulator"]

/// The other packages, each with the oldest version that is used, and the products that are used.
let packages: [(location: String, from: Version, products: String)] = [
  ("apple/swift-http-types", "1.8.0", "HTTPTypes"),
  ("apple/swift-crypto", "4.5.2", "Crypto CryptoExtras"),
  ("apple/swift-nio", "2.101.2", "NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOTLS _NIOFileSystem"),
  ("apple/swift-nio-extras", "1.34.1", "NIOHTTPTypes"),
  ("apple/swift-nio-ssl", "2.37.6", "NIOSSL"),
  ("apple/swift-system", "1.8.1", "SystemPackage"),
  ("apple/swift-log", "1.16.2", "Logging"),
  ("apple/swift-metrics", "2.13.0", "CoreMetrics MetricsTestKit"),
  ("apple/swift-distributed-tracing", "1.7.3", "InMemoryTracing Tracing"),
  ("apple/swift-configuration", "1.4.0", "Configuration"),
  ("apple/swift-argument-parser", "1.8.2", "ArgumentParser"),
  ("swift-server/async-http-client", "1.37.0", "AsyncHTTPClient"),
  ("hummingbird-project/hummingbird", "2.28.1", "Hummingbird HummingbirdCore HummingbirdHTTP2"),
  ("swift-server/swift-service-lifecycle", "2.13.0", "ServiceLifecycle UnixSignals"),
  ("swiftlang/swift-subprocess", "1.0.2", "Subprocess"),
]

/// The packages of which no trait is switched on.
let withoutTraits = ["swift-http-types", "swift-configuration", "hummingbird", "swift-subprocess"]

/// Whether `STORAGE_AUTH_CRYPTO=CommonCrypto` replaces libcrypto, for tests on Linux, by what Apple's systems use.
let testsCommonCrypto = Context.environment["STORAGE_AUTH_CRYPTO"] == "CommonCrypto"

/// The systems on which programs can be started and SwiftNIO is the usual network, and those that have CommonCrypto.
let withPrograms: [Platform] = [.linux, .macOS]
let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

let libcrypto: TargetDependencyCondition? = .when(platforms: [.linux, .android])
let commonCrypto: TargetDependencyCondition? = testsCommonCrypto ? nil : .when(platforms: applePlatforms)
let privateKeys: TargetDependencyCondition? =
  testsCommonCrypto ? nil : .when(platforms: applePlatforms, traits: ["PrivateKeys"])
let programsAndNIO: TargetDependencyCondition? = .when(platforms: withPrograms, traits: ["Client"])

/// What a module uses on some systems, or with other traits than those of its row.
///
/// A target can be a dependency under one condition only, and the platforms and the traits of a condition have to hold
/// both. FoundationTransport is needed on some systems always and on the others with a trait; there URLSessionDefault,
/// which is built for nothing else, brings it.
let conditions: [String: [String: TargetDependencyCondition?]] = [
  "StorageCrypto": [
    "CLibcrypto": libcrypto, "CCommonCrypto": commonCrypto, "Crypto": privateKeys, "CryptoExtras": privateKeys,
  ],
  "StorageClient": [
    "AsyncHTTPTransport": programsAndNIO, "NIOCore": programsAndNIO, "Subprocess": programsAndNIO,
    "FoundationTransport": .when(platforms: [.macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .android]),
    "URLSessionDefault": .when(platforms: withPrograms, traits: ["URLSession"]),
  ],
  "AsperaClient": ["StoragePrograms": programsAndNIO],
]

/// The rows of all layers.
let modules = layers.flatMap(\.value)

/// Whether a module is in C; only the modules whose rows name it may import it.
func isInC(_ name: String) -> Bool { name.hasPrefix("CC") || ["CLibcrypto", "CZlib"].contains(name) }

/// Returns names with those of everything that they import without a condition.
func closure(of names: [String]) -> [String] {
  names.reduce(into: names) { found, name in
    let imports = modules.first { $0.name == name }?.imports ?? []
    let below = closure(of: imports.filter { conditions[name]?[$0] == nil && !isInC($0) })
    found += below.filter { !found.contains($0) }
  }
}

/// Returns the name of the package with a product, or `nil` if the name is not that of a product.
func package(of product: String) -> String? {
  let location = packages.first { names($0.products).contains(product) }?.location
  return location?.split(separator: "/").last.map(String.init)
}

/// The dependency on a product of another package, or on a module.
func dependency(_ name: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
  guard let package = package(of: name) else { return .target(name: name, condition: condition) }
  return .product(name: name, package: package, condition: condition)
}

/// A row as a target, which fails to compile if its traits are off, with the line that is missing in a manifest.
func target(of module: Module, in layer: String) -> Target {
  let own = conditions[module.name] ?? [:]
  var needed = closure(of: module.imports).filter { !testsCommonCrypto || $0 != "CLibcrypto" }
    .map { dependency($0, own[$0] ?? nil) }
  needed += module.products.map { dependency($0, own[$0] ?? .when(traits: Set(module.traits))) }
  if testsCommonCrypto && own["CCommonCrypto"] != nil { needed.append("CommonCrypto") }
  if let gate = module.gate { needed.append(.target(name: gate)) }
  let make = programs.contains(module.name) ? program : library
  return make(module.name, "Sources/\(layer)/\(module.name)", needed, module.resources)
}

/// What others could have built: it gets nothing but the public API of the package.
let outsiders = names(
  "VerifiedService VerifiedServiceExample OBSProvider OBSProviderTests obs-sign PhotoApp PhotoAppTests aspera-grant")

func library(_ name: String, _ path: String, _ needed: [Target.Dependency], _ resources: [Resource] = []) -> Target {
  .target(
    name: name, dependencies: needed, path: path, resources: resources, packageAccess: !outsiders.contains(name))
}

func program(_ name: String, _ path: String, _ needed: [Target.Dependency], _ resources: [Resource] = []) -> Target {
  .executableTarget(
    name: name, dependencies: needed, path: path, resources: resources, packageAccess: !outsiders.contains(name))
}

/// What tests, examples and benchmarks use: modules with what they import and the products of these, and products.
func uses(_ text: String = "") -> [Target.Dependency] {
  let targets = closure(of: names(text))
  let products = modules.filter { targets.contains($0.name) && $0.name != "StorageCrypto" }.flatMap(\.products)
  return Set(targets + products).sorted().map {
    dependency($0, package(of: $0) == nil || $0 == "HTTPTypes" ? nil : .when(traits: ["CommandLine"]))
  }
}

/// A program that shows how something is used.
func example(_ name: String, _ more: String = "", _ resources: [Resource] = []) -> Target {
  let needed = uses("AsperaClient StoragePrograms AsyncHTTPTransport LocalCloud ExampleSupport ArgumentParser " + more)
  return program("\(name)Example", "Examples/\(name)Example", needed, resources)
}

/// The tests of a module, with the further modules and products that they use.
func tests(_ module: String, _ more: String = "", exclude: [String] = [], copying: [String] = []) -> Target {
  let tested = modules.contains { $0.name == module } ? module : ""
  return .testTarget(
    name: "\(module)Tests", dependencies: uses("\(tested) StorageAuthTesting \(more)"), path: "Tests/\(module)Tests",
    exclude: exclude, resources: copying.map { .copy($0) }, packageAccess: !outsiders.contains("\(module)Tests"))
}

/// Whether the documentation is built, by `make docs` or by the Swift Package Index.
let isDocumented = ["STORAGE_AUTH_DOCS", "SPI_GENERATE_DOCS"].contains { Context.environment[$0] != nil }

let libraries = modules.filter { $0.isPublic && !programs.contains($0.name) }.map(\.name)

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + programs.map { .executable(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "PrivateKeys", description: "Private keys of AsperaAuth on Apple's systems, with swift-crypto."),
    .trait(name: "Client", description: "StorageClient over AsyncHTTPClient.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "URLSession", description: "StorageClient over URLSession.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Server", description: "StorageAuthServer and LocalCloud.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Redis", description: "StorageAuthRedis, over SwiftNIO.", enabledTraits: ["Server"]),
    .trait(name: "Operations", description: "StorageOperations: metrics, traces and services."),
    .trait(name: "Configuration", description: "StorageConfiguration.", enabledTraits: ["Client", "Server"]),
    .trait(
      name: "CommandLine", description: "The storage-auth tool and the examples.",
      enabledTraits: ["Client", "Configuration", "Operations", "Redis", "Server"]),
    .default(enabledTraits: isDocumented || Context.environment["STORAGE_AUTH_XCODE"] != nil ? ["CommandLine"] : []),
  ],
  dependencies: packages.map { package in
    let url = "https://github.com/\(package.location)"
    return withoutTraits.contains { url.hasSuffix("/\($0)") }
      ? .package(url: url, from: package.from, traits: []) : .package(url: url, from: package.from)
  },
  targets: layers.flatMap { layer in layer.value.map { target(of: $0, in: layer.key) } }
)

package.targets += Set(modules.compactMap(\.gate)).sorted().map { library($0, "Sources/Traits/\($0)", []) }
package.targets += [
  .target(name: "CCarryless", path: "Sources/Core/CCarryless"),
  .systemLibrary(
    name: "CLibcrypto", path: "Sources/Core/CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CCommonCrypto", path: "Sources/Core/CCommonCrypto"),
  // Without the flags of pkg-config, which on a Mac would be those of another zlib than the one in Apple's SDKs.
  .systemLibrary(name: "CZlib", path: "Sources/Core/CZlib", providers: [.apt(["zlib1g-dev"])]),
]

if testsCommonCrypto {
  let linked: [LinkerSetting] = [.linkedLibrary("crypto")]
  package.targets.append(.target(name: "CommonCrypto", path: "Tests/CommonCrypto", linkerSettings: linked))
}

// Examples and measurements.
package.targets += names("OSS COS S3 Aspera AsperaOnCloud Credentials TokenServer RemoteSigning").map { example($0) }
package.targets += [
  example("AnyProvider", "FoundationTransport"),
  example("FormUpload", "", [.embedInCode("page.html")]),
  library("ExampleSupport", "Examples/Support", uses("LocalCloud AsperaClient")),
  library("VerifiedService", "Examples/VerifiedService", uses("COSAuth StorageAuthServer")),
  program(
    "VerifiedServiceExample", "Examples/VerifiedServiceExample",
    uses("VerifiedService COSAuth StorageAuthRedis ArgumentParser UnixSignals")),
  library("OBSProvider", "Examples/OBSProvider", uses("StorageClient")),
  library("PhotoApp", "Examples/iOSApp/PhotoApp", uses("StorageBackground")),
  program("obs-sign", "Tests/Interop/OBSSign", uses("OBSProvider StorageAuth")),
  program("aspera-grant", "Tests/Interop/AsperaGrant", uses("LocalCloud AsperaClient")),
  .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
  .target(name: "CHashBlocks", dependencies: [dependency("CLibcrypto", libcrypto)], path: "Benchmarks/CHashBlocks"),
  .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
  program(
    "signing-benchmark", "Benchmarks/Signing", uses("OSSAuth COSAuth S3Auth CAllocationCounter CHashBlocks"),
    [.copy("workloads.json")]),
  program(
    "transfer-benchmark", "Benchmarks/Transfer", uses("AsyncHTTPTransport StorageClient ArgumentParser Hummingbird")),
  program("fleet", "Benchmarks/Fleet", uses("StorageAuthTesting")),
  library("SigningProperties", "Tests/SigningProperties", uses("CredentialSources StorageAuthTesting")),
  library("ProcessWatching", "Tests/ProcessWatching", uses()),
  library(
    "ClientTestSupport", "Tests/ClientTestSupport",
    uses("AsperaClient StoragePrograms AsyncHTTPTransport FoundationTransport LocalCloud")),
  library("LongRun", "Tests/LongRun/Core", uses("StorageClient LocalCloud StorageAuthTesting")),
  program("long-run", "Tests/LongRun/Program", uses("FoundationTransport LongRun StorageClient ArgumentParser")),
  library("SyncSimulation", "Tests/SyncSimulation/Core", uses("StorageClient")),
  program("sync-simulation", "Tests/SyncSimulation/Program", uses("SyncSimulation ArgumentParser")),
]

/// The tests that need no package besides swift-http-types and swift-crypto.
let coreTests = [
  tests("StorageCrypto"),
  tests("StorageAuth", "SigningProperties"),
  tests("StorageAuthTesting", "CredentialSources OSSAuth COSAuth S3Auth"),
  tests("OSSAuth", "SigningProperties SigningJobs", copying: ["Vectors"]),
  tests("COSAuth", "SigningProperties SigningJobs", copying: ["Vectors"]),
  tests("S3Auth", "SigningProperties CAllocationCounter", copying: ["Vectors"]),
  tests("SigningJobs"),
  tests("CredentialSources", "OSSAuth COSAuth S3Auth"),
  tests("AsperaAuth", copying: ["Vectors", "Keys"]),
  tests("Redaction", "OSSAuth COSAuth S3Auth AsperaAuth", exclude: ["check-redaction-coverage.py"]),
]

/// What most tests of clients and servers use.
let kit = "AsperaClient StoragePrograms AsyncHTTPTransport FoundationTransport LocalCloud NIOEmbedded MetricsTestKit"

package.targets += coreTests
package.targets += names("StorageBackground StorageConfiguration StorageDiagnosis").map { tests($0, kit) }
package.targets += names("Package StorageAuthRedis StorageClientTesting").map { tests($0) }
package.targets += [
  tests("AsperaTransfer", "StoragePrograms ProcessWatching", exclude: ["Ascp/fake-ascp.py"]),
  tests("FoundationTransport", "AsyncHTTPTransport"),
  tests("StorageClient", kit + " ClientTestSupport LongRun ProcessWatching StorageClientTesting"),
  tests("AsperaClient", kit + " ClientTestSupport ProcessWatching"),
  tests("StorageAuthTool", "storage-auth ClientTestSupport"),
  tests("StorageOperations", kit + " InMemoryTracing"),
  tests("LocalCloud", "AsyncHTTPClient", copying: ["Vectors"]),
  tests("StorageAuthServer", kit + " VerifiedService", copying: ["Connections/Certificates"]),
  tests("ServerRedaction", kit + " StorageAuthRedis"),
  tests("OBSProvider", kit + " OBSProvider", copying: ["Vectors"]),
  tests("PhotoApp", kit + " PhotoApp StorageBackground"),
  tests("Reader", kit + " CInstructionCounter SigningJobs", exclude: ["Corpus", "Engine", "count.sh", "run.sh"]),
]

// `STORAGE_AUTH_FUZZ=1` makes the replay of the corpora a program that libFuzzer drives. The flags of the sanitizer are
// given on the command line (`make fuzz`), so that the manifest that consumers see has no unsafe ones.
if Context.environment["STORAGE_AUTH_FUZZ"] != nil {
  let fuzz = program(
    "storage-auth-fuzz", "Tests/ReaderTests", uses(kit + " SigningJobs StorageAuthTesting FuzzEngine"))
  fuzz.exclude = names("Corpus CorpusTests.swift ComplexityTests.swift InstructionCounter.swift count.sh run.sh")
  // gold, which is the default on Linux, ends with an internal error on the names that the address sanitizer makes.
  fuzz.linkerSettings = [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
  package.targets.removeAll { $0.name == "ReaderTests" }
  package.targets += [.target(name: "FuzzEngine", path: "Tests/FuzzEngine"), fuzz]
}

// `STORAGE_AUTH_DOCS=1` (`make docs`) and `SPI_GENERATE_DOCS`, which the Swift Package Index sets, add swift-docc-plugin and
// the module of the package's own catalogue. The plugin documents targets only, so the catalogue needs one; it depends on
// the libraries, so that its links to them resolve. Consumers fetch and build neither.
if isDocumented {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
  let needed = libraries.map { dependency($0) }
  package.targets.append(library("SwiftStorageAuth", "Documentation/SwiftStorageAuth", needed))
}

// `STORAGE_AUTH_ONLY=OSSAuthTests,COSAuthTests` leaves only the named targets and what they depend on, so that one module's
// tests are built and run in seconds; `core` names the tests of the libraries without a network, which need no trait.
if let only = Context.environment["STORAGE_AUTH_ONLY"] {
  var kept: Set<String> = []
  var pending = only == "core" ? coreTests.map(\.name) : only.split(separator: ",").map(String.init)
  while let name = pending.popLast() {
    guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .targetItem(let name, _) in target.dependencies { pending.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}

// Every target is built to the same rules: Swift 6 mode, the upcoming features that make the visibility of imports,
// existentials and isolation explicit, and no warning that is let through. What ships has strict memory safety as well.
let features = "ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault"
let rules: [SwiftSetting] =
  [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)] + names(features).map { .enableUpcomingFeature($0) }
for target in package.targets where target.type != .system {
  target.swiftSettings = rules
  if target.path?.hasPrefix("Sources/") == true { target.swiftSettings?.append(.strictMemorySafety()) }
}
for target in package.targets where target.path?.hasPrefix("Sources/Client/") == true {
  target.swiftSettings? += [
    .define("STORAGE_AUTH_NIO", .when(platforms: withPrograms, traits: ["Client"])),
    .define("STORAGE_AUTH_URLSESSION", .when(platforms: withPrograms, traits: ["URLSession"])),
  ]
}
