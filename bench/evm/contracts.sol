// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Loads for an interpreter, each a pure function of its argument.
contract Loads {
    function arithmetic(uint256 rounds) external pure returns (uint256 sum) {
        for (uint256 i = 0; i < rounds; i++) {
            unchecked {
                sum = (sum + i * 3) ^ (sum >> 1);
            }
        }
    }

    function hashes(uint256 rounds) external pure returns (bytes32 hash) {
        for (uint256 i = 0; i < rounds; i++) hash = keccak256(abi.encodePacked(hash, i));
    }

    struct Vector {
        int256 x;
        int256 y;
        int256 z;
    }

    int256 constant ONE = 1e12;

    function root(int256 square) internal pure returns (int256 r) {
        r = square;
        int256 next = (square + 1) / 2;
        while (next < r) {
            r = next;
            next = (square / next + next) / 2;
        }
    }

    function dot(Vector memory a, Vector memory b) internal pure returns (int256) {
        return (a.x * b.x + a.y * b.y + a.z * b.z) / ONE;
    }

    function unit(Vector memory a) internal pure returns (Vector memory) {
        int256 length = root(dot(a, a) * ONE);
        return Vector((a.x * ONE) / length, (a.y * ONE) / length, (a.z * ONE) / length);
    }

    /// Rays against a sphere, shaded by a light: structs in memory, signed fixed-point arithmetic, square roots.
    function rays(int256 size) external pure returns (int256 light) {
        Vector memory sun = unit(Vector(ONE, ONE, -ONE));
        Vector memory centre = Vector(0, 0, 5 * ONE);
        for (int256 x = 0; x < size; x++) {
            for (int256 y = 0; y < size; y++) {
                Vector memory ray = unit(Vector(((2 * x - size) * ONE) / size, ((2 * y - size) * ONE) / size, 3 * ONE));
                int256 along = dot(ray, centre);
                int256 gap = dot(centre, centre) - (along * along) / ONE;
                if (gap > 4 * ONE) continue;
                int256 depth = along - root((4 * ONE - gap) * ONE);
                Vector memory hit = Vector(
                    (ray.x * depth) / ONE - centre.x,
                    (ray.y * depth) / ONE - centre.y,
                    (ray.z * depth) / ONE - centre.z
                );
                int256 shade = dot(unit(hit), sun);
                if (shade > 0) light += shade;
            }
        }
    }
}

contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor() {
        totalSupply = 1e24;
        balanceOf[msg.sender] = 1e24;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        require(balanceOf[msg.sender] >= value, "too little");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function transferMany(uint256 count) external {
        for (uint256 i = 1; i <= count; i++) transfer(address(uint160(0x1000000000000000000000000 + i)), i);
    }

    /// Each balance through a call of this contract.
    function sumBalances(uint256 count) external view returns (uint256 sum) {
        for (uint256 i = 1; i <= count; i++) sum += this.balanceOf(address(uint160(0x1000000000000000000000000 + i)));
    }
}
