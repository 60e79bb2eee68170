#!/usr/bin/env ruby
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Creates ../AsperaAuthTests/Vectors/ascp-commands.json: the ascp command lines of aspera-cli, IBM's own client, for
# specifications with each field of its schema alone, with each word of the field, with the limits of its values, and in
# combinations as applications send them.
#
# The answers come from aspera-cli itself: Aspera::Transfer::Parameters, or Aspera::Agent::Direct for specifications
# with multi_session, is called with each specification. Only the files that aspera-cli reads besides the specification
# (keys and certificates) are replaced by placeholders, and its other libraries are not loaded.
#
# Usage: ascp_command_vectors.rb PATH-OF-ASPERA-CLI [--check]
#
# The path is a checkout of https://github.com/IBM/aspera-cli. Requires Ruby 3.1 or later without gems. With --check, the
# file is compared and not written.

require 'base64'
require 'date'
require 'digest'
require 'json'
require 'logger'
require 'openssl'
require 'securerandom'
require 'tmpdir'

FILE = File.expand_path('../AsperaAuthTests/Vectors/ascp-commands.json', __dir__)
SOURCES = %w[
  lib/aspera/transfer/parameters.rb lib/aspera/transfer/spec.schema.yaml lib/aspera/command_line_builder.rb
  lib/aspera/command_line_converter.rb lib/aspera/agent/direct.rb
].freeze
ROOT = File.expand_path(ARGV.fetch(0) { abort('Pass the path of a checkout of aspera-cli.') })
LIB = File.join(ROOT, 'lib')

# Libraries of aspera-cli that derive nothing from a specification, and would need gems.
REPLACED = %w[log ascp/installation cli/formatter rest ascp/management transfer/error transfer/resumer].freeze
REPLACED.each { |name| $LOADED_FEATURES << File.join(LIB, "aspera/#{name}.rb") }
$LOAD_PATH.unshift(LIB)

module Aspera
  # A log without output.
  module Log
    # A logger without output.
    class Quiet
      %i[debug info warn error trace1 trace2].each { |level| define_method(level) { |*_, &_block| nil } }
      def debug? = false
    end

    def self.log = @log ||= Quiet.new
    def self.dump(*_, **_keywords) = nil
  end

  module Ascp
    # The files that aspera-cli reads, as placeholders.
    class Installation
      CLIENT_SSH_KEY_OPTIONS = %i[dsa_rsa rsa per_client].freeze
      FILES = { fallback_certificate: '<FALLBACK_CERTIFICATE>', fallback_private_key: '<FALLBACK_KEY>' }.freeze

      def self.instance = @instance ||= new
      def path(name) = FILES.fetch(name)
      def aspera_token_ssh_key_paths(_types) = ['<TOKEN_KEY>']
    end
  end

  module Transfer
    class Error < StandardError; end

    # A policy that starts no transfer.
    class Resumer
      def initialize(**); end
    end
  end
end

require 'aspera/hash_ext'
require 'aspera/environment'
require 'aspera/transfer/parameters'
require 'aspera/agent/direct'

module Aspera
  module Agent
    # The agent that starts ascp, without starting it.
    class Direct
      def transfer_thread_entry(_session) = nil
      def planned = @sessions
    end
  end
end

SSHFP = '6d3b30e1682631885606914fed0f4ab95ca9a755'
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----"
BASE = {
  'remote_host' => 'files.example.com', 'remote_user' => 'mia', 'direction' => 'send', 'destination_root' => '/dst',
  'paths' => [{ 'source' => '/src/a.bin' }], 'remote_password' => 'account-password'
}.freeze
BARE = BASE.reject { |name, _| name.eql?('remote_password') }.freeze
TAGS = { 'aspera' => { 'node' => { 'access_key' => 'AK1', 'file_id' => '12' } } }.freeze

# The values of the fields that are neither Boolean values nor words, and the limits of their values.
VALUES = {
  'content_protection_password' => ['file-password'],
  'cookie' => ['app:1', "two\nlines", 'a' * 300],
  'destination_root' => ['/', '', 'relative/folder', '/with space', '/Ü/猫', '-d'],
  'destination_root_id' => ['12'],
  'exclude_newer_than' => ['-86400', '1663811521', ''],
  'exclude_older_than' => ['-86400', '2026-01-01T00:00:00Z', ''],
  'fasp_port' => [1, 33_001, 65_535, 0, 65_536, -1, '33001'],
  'fasp_proxy' => [{ 'url' => 'dnat://proxy.example.com', 'user' => 'u', 'password' => 'daemon-password' }],
  'http_fallback' => [true, false, 'force', '1', '0', 'yes', 1],
  'http_fallback_port' => [1, 8080, 65_535, 0],
  'https_fallback_port' => [8443, 65_536],
  'icos' => [{ 'bucket' => 'b', 'api_key' => 'bucket-key' }],
  'min_rate_cap_kbps' => [0, 1000],
  'move_after_transfer' => ['/sent', ''],
  'multi_session' => [0, 1, 2, 3, -1, 129],
  'multi_session_threshold' => [0, 1, 5_000_000_000, -1],
  'password' => ['windows-password'],
  'paths' => [
    [{ 'source' => '/a' }, { 'source' => '/b c' }, { 'source' => '/Ü/猫' }],
    [{ 'source' => '/a', 'destination' => 'x/a' }, { 'source' => '/b', 'destination' => 'y' }],
    [{ 'source' => '/a', 'destination' => 'x' }, { 'source' => '/b' }],
    [{ 'source' => '-d' }], [{ 'source' => "two\nlines" }], [{ 'destination' => 'x' }], [{ 'source' => '' }], []
  ],
  'remote_access_key' => ['AK1'],
  'remote_host' => ['192.0.2.1', '2001:db8::1', '-oProxyCommand=x', ''],
  'remote_password' => ['pass word', 'pä$$', ''],
  'remote_user' => ['xfer', 'domain\\mia', ''],
  'proxy' => [
    'dnat://proxy.example.com:9091', 'dnats://mia@proxy.example.com', 'dnats://mia:proxy-password@proxy.example.com:9092',
    'http://proxy.example.com'
  ],
  'retry_duration' => ['5min', 300],
  'source_root' => ['/src', '', 'file:////src'],
  'source_root_id' => ['12'],
  'src_base' => ['/src', '/Ü'],
  'src_base64' => ['L3NyYw==', 'not Base64'],
  'ssh_port' => [1, 22, 65_535, 0, 65_536],
  'ssh_private_key' => [KEY, 'BEGIN\\nEND'],
  'ssh_private_key_passphrase' => ['key-passphrase'],
  'ssh_private_key_path' => ['/keys/id_rsa', '/with space/key'],
  'tags' => [{ 'app' => { 'n' => 1 } }, {}, { 'ü' => ['a', nil, true, 1.5] }],
  'tags64' => ['eyJhcHAiOjF9', 'not Base64'],
  'target_rate_cap_kbps' => [100_000],
  'target_rate_kbps' => [0, 1, 10_000, 4_000_000_000, -1, '10000'],
  'title' => ['A title'],
  'token' => ['ATB2_AAAA_2BTA', "ATB2_AAAA\n_2BTA", ''],
  'ssh_args' => [['-v', '-oProxyCommand=x']],
  'dgram_size' => [1, 1492, 65_535, 0],
  'min_rate_kbps' => [0, 100],
  'sshfp' => [SSHFP, SSHFP.upcase, SSHFP.scan(/../).join(':'), 'SHA256:abc', ''],
  'target_rate_percentage' => ['50'],
  'fasp_url' => ['faspe://mia@files.example.com/a?token=ATB2_AAAA_2BTA'],
  'authentication' => ['token'],
  'wss_port' => [443],
  'compression' => [1],
  'read_threads' => [4],
  'write_threads' => [4],
  'xfer_max_retries' => [3]
}.freeze

# The fields whose login is not the password of the other specifications.
LOGINS = %w[ssh_private_key ssh_private_key_path token].freeze

# Fields that depend on other fields, with those fields.
TOGETHER = {
  'content_protection' => { 'content_protection_password' => 'file-password' },
  'remove_skipped' => { 'remove_after_transfer' => true },
  'http_fallback_port' => { 'http_fallback' => true },
  'https_fallback_port' => { 'http_fallback' => 'force', 'cipher' => 'aes-256' },
  'multi_session_threshold' => { 'resume_policy' => 'none' },
  'ssh_private_key_passphrase' => { 'ssh_private_key_path' => '/keys/id_rsa', 'remote_password' => nil },
  'fail_bad_filepass' => { 'content_protection' => 'decrypt', 'content_protection_password' => 'file-password' },
  'wss_port' => { 'wss_enabled' => true, 'token' => 'ATB2_AAAA_2BTA', 'remote_password' => nil },
  'move_after_transfer' => { 'src_base' => '/src', 'remove_empty_directories' => true }
}.freeze

SETUP = {
  'remote_host' => 'files.example.com', 'remote_user' => 'xfer', 'ssh_port' => 33_001, 'fasp_port' => 33_001,
  'token' => 'ATM2_AAAA_2MTA', 'cipher' => 'aes-128', 'rate_policy' => 'fair', 'rate_policy_allowed' => 'fair',
  'target_rate_kbps' => 45_000, 'target_rate_cap_kbps' => 100_000, 'min_rate_kbps' => 0, 'sshfp' => nil,
  'http_fallback' => false, 'tags' => nil, 'direction' => 'send', 'destination_root' => '/uploads',
  'source_root' => '', 'paths' => [{ 'source' => '/src/a.bin' }]
}.freeze
AOC = SETUP.merge(
  'token' => 'Bearer eJyexample', 'tags' => TAGS, 'cookie' => 'aspera.aoc:dXNlcg==', 'create_dir' => true,
  'resume_policy' => 'sparse_csum', 'destination_root' => '/', 'sshfp' => SSHFP
).freeze

# Combinations of fields, as the services and the applications of IBM send them.
COMBINED = {
  'the answer to an upload_setup' => SETUP,
  'the answer to a download_setup' => SETUP.merge(
    'direction' => 'receive', 'source_root' => '/data', 'destination_root' => '/home/mia',
    'paths' => [{ 'source' => '/a', 'destination' => 'x/a' }, { 'source' => '/b', 'destination' => 'b' }],
    'sshfp' => SSHFP
  ),
  'an upload to a workspace of Aspera on Cloud' => AOC,
  'a package of Aspera on Cloud with an ID' => AOC.merge(
    'tags' => { 'aspera' => TAGS['aspera'].merge('xfer_id' => 'c8d4', 'xfer_retry' => 3600, 'app' => 'packages') }
  ),
  'an access key with a basic token' => SETUP.merge('token' => 'Basic QUsxOnNlY3JldA==', 'tags' => TAGS),
  'Connect fields besides an account' => BASE.merge(
    'lock_min_rate' => true, 'lock_min_rate_kbps' => true, 'lock_rate_policy' => true, 'lock_target_rate' => true,
    'lock_target_rate_kbps' => false, 'min_rate_cap_kbps' => 10, 'cipher_allowed' => 'aes-128', 'title' => 'A title',
    'authentication' => 'password'
  ),
  'a key with a passphrase' => BARE.merge('ssh_private_key' => KEY, 'ssh_private_key_passphrase' => 'key-passphrase'),
  'a key file and a token' => BARE.merge('ssh_private_key_path' => '/keys/id_rsa', 'token' => 'ATB2_AAAA_2BTA'),
  'a password and a token' => BASE.merge('token' => 'ATB2_AAAA_2BTA', 'sshfp' => SSHFP),
  'a password and a passphrase' => BASE.merge('ssh_private_key_passphrase' => 'key-passphrase'),
  'a password and a key' => BASE.merge('ssh_private_key' => KEY),
  'an archive of sent files' => BASE.merge(
    'src_base' => '/src', 'move_after_transfer' => '/sent', 'preserve_modification_time' => true, 'create_dir' => true,
    'exclude_older_than' => '-86400', 'skip_special_files' => true, 'symlink_policy' => 'skip', 'overwrite' => 'never'
  ),
  'a mirror' => BASE.merge(
    'delete_before_transfer' => true, 'preserve_access_time' => true, 'preserve_file_owner_uid' => true,
    'preserve_file_owner_gid' => true, 'preserve_acls' => 'native', 'preserve_extended_attrs' => 'native',
    'symlink_policy' => 'copy+force', 'resume_policy' => 'full_csum', 'overwrite' => 'diff+older'
  ),
  'a source that is removed' => BASE.merge('delete_source' => true, 'remove_skipped' => true),
  'delete_source false before the fields that it stands for' => BASE.merge(
    'delete_source' => false, 'remove_after_transfer' => true
  ),
  'delete_source true against a field that it stands for' => BASE.merge(
    'delete_source' => true, 'remove_after_transfer' => false
  ),
  'rates and network' => BASE.merge(
    'rate_policy' => 'fixed', 'target_rate_kbps' => 1_000_000, 'min_rate_kbps' => 1000, 'dgram_size' => 9000,
    'fasp_port' => 40_000, 'ssh_port' => 22, 'proxy' => 'dnats://proxy.example.com:9092'
  ),
  'encryption of everything' => BASE.merge(
    'cipher' => 'aes-256-gcm', 'content_protection' => 'encrypt', 'content_protection_password' => 'file-password',
    'file_checksum' => 'sha-512'
  ),
  'a persistent session' => BASE.reject { |name, _| name.eql?('paths') }.merge('keepalive' => true),
  'no paths' => BASE.reject { |name, _| name.eql?('paths') },
  'no destination' => BASE.reject { |name, _| name.eql?('destination_root') },
  'no host' => BASE.reject { |name, _| name.eql?('remote_host') },
  'no user' => BASE.reject { |name, _| name.eql?('remote_user') },
  'no direction' => BASE.reject { |name, _| name.eql?('direction') },
  'no login' => BARE,
  'tags and tags64' => BASE.merge('tags' => { 'a' => 1 }, 'tags64' => 'eyJhIjoxfQ=='),
  'a secret in the tags' => BASE.merge(
    'tags' => { 'aspera' => { 'node' => { 'storage_credentials' => { 'token' => { 'delegated_refresh_token' => 'x' } } } } }
  ),
  'a field of another schema' => BASE.merge('overwrite_policy' => 'never'),
  'everything null' => BASE.merge(
    'token' => nil, 'sshfp' => nil, 'tags' => nil, 'cookie' => nil, 'cipher' => nil, 'title' => nil, 'proxy' => nil
  )
}.freeze

WSS = SETUP.merge('wss_enabled' => true, 'wss_port' => 443).freeze

# Combinations with options of aspera-cli.
WITH_OPTIONS = [
  ['a WebSocket instead of SSH', WSS, { 'trusted_certs' => ['<CA_BUNDLE>', '/other.pem'] }],
  ['a WebSocket without certificates', WSS, {}],
  ['a WebSocket that is offered and not wanted', WSS, { 'wss' => false }],
  ['a WebSocket where SSH has no UDP port', WSS.reject { |name, _| name.eql?('fasp_port') }, { 'wss' => false }],
  ['a WebSocket and a pinned host key', WSS.merge('sshfp' => SSHFP), {}],
  ['a WebSocket in several sessions', WSS.merge('multi_session' => 2), { 'trusted_certs' => ['<CA_BUNDLE>'] }],
  ['a progress bar', BASE, { 'quiet' => false }],
  ['paths as arguments', BASE.merge('paths' => [{ 'source' => '/a' }, { 'source' => '/b c' }]), { 'file_list' => false }],
  ['pairs as arguments', BASE.merge('paths' => [{ 'source' => '/a', 'destination' => 'b' }]), { 'file_list' => false }],
  ['several sessions with a port each', BASE.merge('multi_session' => 3, 'fasp_port' => 40_000), { 'multi_incr_udp' => true }],
  ['several sessions with the default ports', BASE.merge('multi_session' => 2), { 'multi_incr_udp' => true }],
  ['several sessions with an answer of a node', SETUP.merge('multi_session' => 4), { 'multi_incr_udp' => false }],
  ['several sessions with ports above the last', BASE.merge('multi_session' => 2, 'fasp_port' => 65_535), { 'multi_incr_udp' => true }]
].freeze

# Returns the specifications by name, with their options.
def cases
  schema = Aspera::Transfer::Spec::SCHEMA.current['properties']
  alone = schema.flat_map do |name, property|
    login = LOGINS.include?(name) ? BARE : BASE
    values(name, property).flat_map do |value|
      specs = [login.merge(name => value)]
      specs << login.merge(TOGETHER[name], name => value).compact if TOGETHER.key?(name)
      specs.each_with_index.map do |spec, index|
        ["#{name}: #{JSON.generate(value)}#{index.zero? ? '' : ' with the fields that it needs'}", spec, {}]
      end
    end
  end
  alone + COMBINED.map { |name, spec| [name, spec, {}] } + WITH_OPTIONS
end

# Returns the values with which a field is tried: each word and another word, or both Boolean values and another type.
def values(name, property)
  return VALUES[name] if VALUES.key?(name)
  return property['enum'] + ['another-word'] if property.key?('enum')
  return [true, false, 'true'] if property['type'].eql?('boolean')

  raise "the schema has a new field #{name}: give it values"
end

# Returns the arguments of an ascp command, with a placeholder for the path of the file list, and the list.
def command(exec_spec)
  list = nil
  argv = exec_spec.args.map do |argument|
    next argument unless (match = argument.match(/\A(--file-(?:pair-)?list)=(.*)\z/m))

    list = File.read(match[2], encoding: 'UTF-8').split("\n", -1)
    "#{match[1]}=<FILE_LIST>"
  end
  answer = { 'argv' => argv, 'env' => exec_spec.env }
  answer['list'] = list unless list.nil?
  answer['program'] = exec_spec.exec.to_s unless exec_spec.exec.eql?(:ascp)
  answer
end

# Returns what aspera-cli does with a specification.
def answer(spec, options)
  spec = JSON.parse(JSON.generate(spec))
  options = options.transform_keys(&:to_sym)
  unless spec.key?('multi_session')
    return command(Aspera::Transfer::Parameters.new(spec, **options.reject { |name, _| name.eql?(:multi_incr_udp) }).ascp_args)
  end

  agent = Aspera::Agent::Direct.new(spawn_delay_sec: 0, **options)
  agent.start_transfer(spec)
  sessions = agent.planned.each { |session| session[:thread].join }.map { |session| command(session[:exec_spec]) }
  sessions.length.eql?(1) && sessions.first['argv'].none?(/\A-C/) ? sessions.first : { 'sessions' => sessions }
rescue NameError, LoadError
  raise
rescue StandardError => e
  { 'refused' => e.message.lines.first.to_s.strip }
end

# Returns the identifier that Git gives to a file, by which the version of a source can be verified.
def blob(path)
  content = File.binread(File.join(ROOT, path))
  Digest::SHA1.hexdigest("blob #{content.bytesize}\0#{content}")
end

def document
  Dir.mktmpdir do |folder|
    Aspera::Transfer::Parameters.file_list_folder = folder
    version = File.read(File.join(LIB, 'aspera/cli/version.rb'))[/VERSION = '([^']+)'/, 1]
    found = cases.map do |name, spec, options|
      { 'name' => name, 'options' => options, 'transfer_spec' => spec, 'expect' => answer(spec, options) }
    end
    raise 'two cases have one name' unless found.map { |entry| entry['name'] }.uniq.length.eql?(found.length)

    {
      'about' => 'The ascp commands of aspera-cli, created by Tests/Interop/ascp_command_vectors.rb. ' \
                 'The keys, tokens and passwords are invented.',
      'source' => "https://github.com/IBM/aspera-cli #{version}, called with Ruby",
      'blobs' => SOURCES.to_h { |path| [path, blob(path)] },
      'fields' => Aspera::Transfer::Spec::SCHEMA.current['properties'].keys,
      'cases' => found
    }
  end
end

text = document.then do |found|
  cases = found.delete('cases').map { |entry| "    #{JSON.generate(entry)}" }
  "#{JSON.pretty_generate(found).delete_suffix("\n}")},\n  \"cases\": [\n#{cases.join(",\n")}\n  ]\n}\n"
end
if ARGV.include?('--check')
  abort("#{FILE} is not what aspera-cli answers; run this script without --check.") unless File.read(FILE) == text
else
  File.write(FILE, text)
end
