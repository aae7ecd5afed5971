import { expect, test } from 'vitest'
import { listenersIn } from './port-holder.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0FA0 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 00000000:0FA1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0100007F:0FA2 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0000000000000000 100 0 0 10 0
   3: 0200A8C0:0FA3 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4714 1 0000000000000000 100 0 0 10 0
`
const TABLE_6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0FA0 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 4721 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000001000000:0FA1 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 4722 1 0000000000000000 100 0 0 10 0
`

test.for([
  ['one on loopback', TABLE, 4000, [{ uid: 1000, inode: '4711' }]],
  ['one on every address', TABLE, 4001, [{ uid: 0, inode: '4712' }]],
  ['none that only has a connection there', TABLE, 4002, []],
  ['none on another address', TABLE, 4003, []],
  [
    'one on every address of IPv6, which has those of IPv4, too',
    TABLE_6,
    4000,
    [{ uid: 1001, inode: '4721' }],
  ],
  ['none on the loopback of IPv6', TABLE_6, 4001, []],
  ['none where there is no table', '', 4000, []],
] as const)('finds %s', ([, table, port, found]) => {
  expect(listenersIn(table, port)).toEqual(found)
})
